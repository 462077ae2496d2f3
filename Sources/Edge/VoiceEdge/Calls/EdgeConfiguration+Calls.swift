internal import Settings

extension EdgeConfiguration {
  /// The times that are calls.
  public struct Calls: Sendable, Equatable {
    public var begin = Begin.automatic
    /// The programs whose recording is a sign of a call. Empty for all.
    public var applications: [String] = []

    public enum Begin: String, Sendable, CaseIterable {
      /// Every sign counts.
      case automatic
      /// Only the request of a program counts.
      case request
      /// The time in which the agent runs is one call.
      case always
    }
  }

  /// Whether the agent can see the programs that use the voice.
  var seesPrograms: Bool {
    if case .fifo = programs.voice { return true }
    return programs.desktop != .none
  }

  static let callsSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "calls.begin", flag: "calls", \.calls.begin, .choice,
      """
      The sign of a call. Only during a call there is a session, the devices are open, media pauses \
      and other programs are softer. With automatic, a call lasts while a program reads the FIFO of \
      programs.voice, records on the desktop of programs.desktop, or asks for the call, or while the \
      far end sounds (pauses of up to 10 s belong to it); without such a FIFO and without a desktop, \
      nobody can see a call, so it lasts as long as the agent runs. With request, only requests \
      count (anechoic-edge call). With always, the call lasts as long as the agent runs
      """),
    Setting(
      "calls.applications", flag: "calls-applications", \.calls.applications,
      .list("name", allowed: "names of applications; repeatable"),
      """
      The programs on the desktop whose recording is a sign of a call, by the names that the sound \
      server shows, such as Firefox
      """, unset: "all"),
  ]
}
