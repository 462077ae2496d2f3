internal import AnechoicAPI
internal import Foundation

/// The sessions that a core of a machine carries, with a description of the machine.
struct CapacityReport: Encodable {
  /// The result for one kind of session.
  struct Kind: Encodable {
    let kind: String
    /// The most sessions of one thread whose frames were on time.
    let sessionsOnTime: Int
    /// The number of sessions at which frames were late. Nil if none were up to the limit.
    let sessionsLate: Int?
    /// The lateness in milliseconds that 99 % of the frames of `sessionsOnTime` stayed below.
    let p99LateMilliseconds: Double
    /// The processor time of the server's thread for each session, as a share of a core.
    let coreShare: Double
    /// The sessions in 80 % of a core, by `coreShare`.
    let sessionsInBudget: Int
    /// The share of a core that admission expects of a session before it has measured any.
    let predictedShare: Double
    /// The share of the processors that other programs, or the host of a virtual machine, used.
    let foreignShare: Double
    let isNoisy: Bool
  }

  let version = anechoicVersion
  let date = Date.now.formatted(.iso8601)
  let machine = MachineDescription.this
  let lateMilliseconds: Int
  var kinds: [Kind] = []

  init(lateMilliseconds: Int) { self.lateMilliseconds = lateMilliseconds }

  var json: String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// The report as a table in Markdown.
  var text: String {
    var lines = [
      "Sessions of one core: \(machine.processor), \(machine.level), \(machine.cores) cores; "
        + "anechoic-server \(version); \(date)",
      "",
      "| kind | on time | late from | lateness, 99 % | core per session | sessions in 80 % of a core "
        + "| admission expects |",
      "|---|---|---|---|---|---|---|",
    ]
    for kind in kinds {
      lines.append(
        "| \(kind.kind) | \(kind.sessionsOnTime) | \(kind.sessionsLate.map { "\($0)" } ?? "–") "
          + "| \(Self.number(kind.p99LateMilliseconds)) ms | \(Self.percent(kind.coreShare)) "
          + "| \(kind.sessionsInBudget) | \(Self.percent(kind.predictedShare)) |")
    }
    let noise = kinds.filter(\.isNoisy).map { "\($0.kind) \(Self.percent($0.foreignShare))" }
    if !noise.isEmpty {
      lines += [
        "",
        "This machine is noisy: other programs, or its host, used its processors during the "
          + "measurement (\(noise.joined(separator: ", "))). The figures are rather too low.",
      ]
    }
    if kinds.contains(where: { $0.sessionsLate == nil }) {
      lines += [
        "", "A limit of this command was reached before frames were late: see --most and --limit.",
      ]
    }
    return lines.joined(separator: "\n")
  }

  private static func percent(_ share: Double) -> String { "\(number(share * 100)) %" }

  private static func number(_ value: Double) -> String { String(format: "%.2f", value) }
}
