internal import Settings

extension EdgeConfiguration {
  public struct Microphone: Sendable {
    public var open = Open.whenNeeded
    /// Files that are set to 1 while the microphone is open and to 0 otherwise.
    public var lamps: [String] = []

    /// The times at which the microphone is open.
    public enum Open: String, Sendable, CaseIterable {
      case always
      /// While a session processes the voice. While muted, only if the session detects a muted
      /// talker.
      case whenNeeded = "when-needed"
    }
  }

  static let microphoneSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "microphone.open", flag: "microphone-open", \.microphone.open, .choice,
      """
      The times at which the microphone is open: always, or when-needed, which is while there is a \
      call and a session processes the voice. A muted microphone is then open only if the muted \
      talker is to be detected and the device's capture switch is on. Opening takes a moment, so \
      the first syllable after an unmute may be lost
      """),
    Setting(
      "microphone.lamps", flag: "microphone-lamps", \.microphone.lamps, .lamps,
      """
      Files that the agent sets to 1 while the sound of the microphone reaches the server or a \
      program, and to 0 otherwise
      """),
  ]
}
