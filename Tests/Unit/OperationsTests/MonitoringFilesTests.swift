import Foundation
import Operations
import Testing

/// The files in deploy/ and docs/ that name metrics.
struct MonitoringFilesTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let declarations =
    MetricDeclaration.server + MetricDeclaration.bridge + MetricDeclaration.edge

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
  }

  @Test(arguments: [
    "deploy/prometheus/alerts.yaml", "deploy/prometheus/alerts-test.yaml",
    "deploy/grafana/anechoic.json", "docs/how-to/monitor.md",
  ])
  func everyMetricOfAFileExists(path: String) throws {
    let text = try Self.text(path)
    let known = Self.declarations.flatMap { metric in
      metric.kind == .histogram
        ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
    }
    let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { String($0) }
    let names = Set(words.filter { word in Self.prefixes.contains { word.hasPrefix($0) } })
    #expect(!names.isEmpty)
    #expect(names.subtracting(known).isEmpty, "\(names.subtracting(known))")
  }

  private static let prefixes = ["anechoic_", "grpc_server_", "process_"]

  @Test func theReferenceListsEveryMetric() throws {
    let rows = try Self.text("docs/reference/metrics.md").split(separator: "\n")
      .filter { $0.hasPrefix("| `") }.map { String($0) }
    #expect(rows == Self.declarations.map(row))
  }

  private func row(_ metric: MetricDeclaration) -> String {
    let labels = metric.labels.map { "`\($0.name)`: \($0.values)" }.joined(separator: "<br>")
    let cells = [
      "`\(metric.name)`", metric.kind.rawValue, labels.isEmpty ? "–" : labels, metric.unit,
      metric.help,
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  @Test(.enabled(if: Promtool.isThere, "scripts/bootstrap installs it"))
  func theAlertsFireWhenTheyShould() throws {
    let folder = Self.package.appendingPathComponent("deploy/prometheus").path
    for arguments in [["check", "rules", "alerts.yaml"], ["test", "rules", "alerts-test.yaml"]] {
      let (status, output) = try Promtool.run(arguments, in: folder)
      #expect(status == 0, "\(output)")
    }
  }

  @Test(.enabled(if: Promtool.isThere, "scripts/bootstrap installs it"))
  func everyExpressionOfTheDashboardIsValid() throws {
    let json = try JSONSerialization.jsonObject(
      with: Data(Self.text("deploy/grafana/anechoic.json").utf8))
    let panels = (json as? [String: Any])?["panels"] as? [[String: Any]] ?? []
    let expressions = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }
      .compactMap { $0["expr"] as? String }
    try #require(expressions.count > 20)
    // Grafana replaces its variables.
    let rules = expressions.enumerated().map { index, expression in
      [
        "record": "panel:\(index)",
        "expr": expression.replacingOccurrences(of: "$__rate_interval", with: "1m")
          .replacingOccurrences(of: "$instance", with: ".*"),
      ]
    }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    // JSON is YAML, except for escaped slashes.
    try JSONSerialization.data(
      withJSONObject: ["groups": [["name": "panels", "rules": rules]]],
      options: .withoutEscapingSlashes
    ).write(to: file)
    let (status, output) = try Promtool.run(["check", "rules", file.path], in: "/")
    #expect(status == 0, "\(output)")
  }

  @Test(
    .enabled(if: Promtool.isThere, "scripts/bootstrap installs it"))
  func promtoolFindsNothingWrongWithTheNames() throws {
    let registry = MetricsRegistry()
    let metrics = ServerMetrics(registry)
    metrics.addSessions(maximum: { 10 }, count: { 3 })
    metrics.addLoad(
      threads: 1,
      of: { _ in
        ThreadFigures(
          load: 0.5, predicted: 0.4, admitted: 0.6, lateness: 0, isOverloaded: false,
          reducedSessions: 0)
      }, capacityUsed: { 0.6 }, isReady: { true })
    metrics.sessionStarted(engine: "anechoic")
    metrics.sessionEnded(reason: "idle")
    metrics.sessionRefused(reason: "SERVER_FULL")
    ProcessMetrics.add(to: registry)
    CallMetrics(registry, type: "unary", service: "a.B", method: "C").handled(
      code: 0, after: .milliseconds(3))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Exposition.prometheus.text(of: registry).utf8).write(to: file)
    let (status, output) = try Promtool.run(["check", "metrics"], in: "/", input: file.path)
    #expect(status == 0 && output.isEmpty, "\(output)")
  }
}

/// Prometheus' checker of metrics and rules.
enum Promtool {
  static let path = "/usr/bin/promtool"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

  static func run(
    _ arguments: [String], in folder: String, input: String = "/dev/null"
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = FileHandle(forReadingAtPath: input)
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}
