import Foundation
import Settings
import anechoic_server
import Testing

/// The settings of the server, its sample file and its reference.
struct ServerSettingsTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The sample with every key, and without explanations.
  private func uncommentedSample() throws -> String {
    try text("deploy/anechoic-server.yaml").split(separator: "\n").compactMap { line in
      let words = line.drop { $0 == " " }
      if words.hasPrefix("# ") || words == "#" { return nil }
      guard words.hasPrefix("#") else { return String(line) }
      return "\(line.prefix { $0 == " " })\(words.dropFirst())"
    }.joined(separator: "\n")
  }

  @Test func theSampleHasEveryKeyWithItsDefault() throws {
    let table = ServerSettings.table
    let sample = try uncommentedSample()
    let settings = try table.read(sample, file: "sample.yaml", SettingsOverrides())
    #expect(settings.values == ServerSettings())
    // An empty list sets nothing.
    let missing = table.settings.filter {
      settings.origin($0.path) == .defaultValue && !sample.contains("  \($0.key): []")
    }.map(\.path)
    #expect(missing.isEmpty, "run scripts/generate settings")
  }

  @Test func theSampleIsTheOneThatTheCodeWrites() throws {
    #expect(
      try text("deploy/anechoic-server.yaml") == ServerSettings.sample,
      "run scripts/generate settings")
  }

  @Test func theReferenceHasTheTableThatTheCodeWrites() throws {
    let page = try text("docs/reference/configuration.md")
    #expect(page.contains(ServerSettings.table.reference()), "run scripts/generate settings")
  }

  @Test func noVariableCanBeOneThatKubernetesSets() {
    // A Service called anechoic sets ANECHOIC_SERVICE_HOST, ANECHOIC_PORT, ANECHOIC_PORT_50051_TCP.
    for setting in ServerSettings.table.settings {
      #expect(!setting.variable.contains("_SERVICE_") && !setting.variable.contains("_PORT"))
    }
  }

  @Test(arguments: [
    ("tls: {key: /k}", "x.yaml:1: tls.key: the certificate and the key must be set together"),
    ("tls: {client_ca: /a}", "x.yaml:1: tls.client_ca: needs a certificate and a key"),
    ("sessions: {engine: x}", "x.yaml:1: sessions.engine: \"x\" is not an engine"),
    (
      "limits: {idle_limit: 8d}",
      "x.yaml:1: limits.idle_limit: \"8d\" is not allowed; use 0, or 1s to 7d"
    ),
  ])
  func aContradictionIsNamed(text: String, expected: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("x.yaml")
    try Data(text.utf8).write(to: file)
    let error = #expect(throws: SettingsError.self) {
      try SettingsSources(file: file.path, environment: [:]).read()
    }
    #expect(error?.description.hasPrefix("\(folder.path)/\(expected)") == true)
  }
}
