public import AnechoicAPI
internal import Settings

extension EdgeConfiguration {
  public struct Session: Sendable {
    /// The id of the session on the server. Empty selects `edge-` and the host's name.
    public var id = ""
    /// The client name that the agent sends to the server.
    public var client = "anechoic-edge"
    /// The name of the engine on the server. Empty selects the server's default engine. Processing
    /// on this machine uses the agent's default engine.
    public var engine = ""
    public var configuration = Anechoic_V1_SessionConfig()
    /// The file for the ticket with which another device plays the session. Nil plays on this
    /// machine.
    public var share: String?
    /// The file with the ticket of another device's session, which this agent plays. Nil starts a
    /// session.
    public var join: String?
    /// The file with the voice that VOICE_ISOLATION keeps. Nil keeps it until the agent stops.
    public var voiceprint: NamedFile?
    /// The least margin of the buffer of a joined session: longer than the jitter of the network.
    public var joinBuffer = Duration.milliseconds(100)
  }

  static let sessionSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "session.id", flag: "session-id", \.session.id, .identifier,
      "The id of the session on the server", unset: "edge- and this machine's host name"),
    Setting(
      "session.client", flag: "session-client", \.session.client, .clientName,
      "The client name that the agent sends to the server"),
    Setting(
      "session.engine", \.session.engine,
      .filledText("name", allowed: "a name that anechoic capabilities lists"),
      """
      The engine on the server. Processing on this machine uses the default engine of the agent
      """, unset: "the server's default engine"),
    Setting(
      "session.share", \.session.share, .optional(.path),
      """
      Let another device play the session: the agent writes the ticket with which it joins into \
      this file, with mode 0600. Excludes audio.reference: tap. See docs/features/two-devices.md
      """),
    Setting(
      "session.join", \.session.join, .optional(.path),
      """
      Play the session of another device, whose ticket is in this file. The agent then has no \
      microphone, no connections to programs, and no session of its own
      """),
    Setting(
      "session.voiceprint", \.session.voiceprint, .optional(.namedFile),
      """
      The file with the voice that VOICE_ISOLATION keeps. anechoic-edge voice learn writes it, with \
      mode 0600; one of anechoic process --save-voiceprint serves too. Without a file, a voice that \
      was learnt is kept until the agent stops. See docs/features/isolation.md
      """),
    Setting(
      "session.join_buffer_ms", \.session.joinBuffer, .milliseconds(10...400),
      """
      The least margin of the buffer of a joined session in ms: more for a network with more jitter
      """),
    Setting(
      "session.config", \.session.configuration, .sessionConfiguration,
      """
      The configuration of the session, such as {preferred_mic_mode: MIC_MODE_VOICE_ISOLATION}. \
      See docs/reference/process.md
      """),
  ]
}
