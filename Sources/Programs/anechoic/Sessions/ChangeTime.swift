internal import ArgumentParser

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
