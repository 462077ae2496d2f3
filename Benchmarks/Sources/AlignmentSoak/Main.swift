internal import ClockSoak
internal import Foundation
internal import VoiceSessions

/// Runs one case of the soak, `AlignmentSoak HOURS REFERENCE PPM LAG_MS`, and prints a row of a
/// Markdown table.
@main
enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 4, let hours = arguments.first.flatMap({ Double($0) }),
      let reference = ClockSoak.Reference(rawValue: arguments[2]),
      let ppm = Double(arguments[3]), let lag = Double(arguments[4])
    else {
      FileHandle.standardError.write(
        Data("usage: AlignmentSoak HOURS untimed|timed|reports PPM LAG_MS\n".utf8))
      exit(64)
    }
    let soak = try ClockSoak(reference: reference, ppm: ppm, lag: lag / 1000)
    var end = "–"
    do {
      try soak.run(minutes: Int(hours * 60))
    } catch {
      end = "minute \(soak.minutes.count): \(error)"
    }
    let after = soak.minutes.dropFirst()
    let mean = after.reduce(0, +) / Double(max(1, after.count))
    let worst = after.enumerated().min { $0.element < $1.element }
    let warnings = Set(soak.warnings.map { "\($0.problem)" }).sorted().joined(separator: ", ")
    print(
      "| \(reference.rawValue) | \(Int(ppm)) | \(Int(lag)) | \(soak.minutes.count) "
        + String(format: "| %.1f | %.1f ", soak.minutes.first ?? 0, mean)
        + String(format: "| %.1f (%d) ", worst?.element ?? 0, (worst?.offset ?? 0) + 2)
        + "| \(soak.statistics.flow.referenceFramesMissing) "
        + String(format: "| %.1f ", soak.memoryGrowth) + "| \(warnings.isEmpty ? "–" : warnings) "
        + "| \(end) |")
    exit(soak.leastReduction > 30 && end == "–" ? 0 : 1)
  }
}
