internal import AnechoicAPI
internal import ArgumentParser
internal import SwiftProtobuf

/// The option for the time of a change.
struct ChangeTime: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      The microphone's sample at which the change takes effect. The command waits for it. \
      (default: the next frame)
      """, valueName: "sample"))
  var atSample: Int64?

  func validate() throws {
    if let atSample, atSample < 0 { throw ValidationError("--at-sample must be 0 or more") }
  }
}

extension Anechoic_V1_SetMuteResponse {
  var phrase: String {
    state.phrase + (hasSample ? ", from sample \(appliedAtSample)" : "")
  }

  func jsonLine() throws -> String { try state.jsonLine(at: hasSample ? appliedAtSample : nil) }

  /// Whether the sample is known. An edge agent without a server does not know it.
  private var hasSample: Bool { appliedAtSample > 0 }
}

extension Anechoic_V1_UpdateSessionResponse {
  /// The state of the session line by line, and the sample of the change.
  var page: String {
    session.page + (hasAppliedAtSample ? "\nchanged       at sample \(appliedAtSample)" : "")
  }

  func jsonLine() throws -> String {
    try session.jsonLine(at: hasAppliedAtSample ? appliedAtSample : nil)
  }
}

extension Message {
  /// Returns the message as JSON, with the sample of its change as one more member.
  fileprivate func jsonLine(at sample: Int64?) throws -> String {
    let line = try jsonLine()
    guard let sample else { return line }
    return "\(line.dropLast())\(line == "{}" ? "" : ",")\"appliedAtSample\":\(sample)}"
  }
}
