public import AnechoicAPI
internal import Settings

/// The configuration of an agent. `deploy/edge/anechoic-edge.yaml` explains each key.
///
/// To add a setting:
/// 1. Add a property with its default to the file of its section, such as `EdgeConfiguration+Audio.swift`.
/// 2. Add one line to the list in the same file: the key, the property, the format and the meaning. The
///    flag is the key with hyphens, and the variable is `ANECHOIC_EDGE_` and the flag in upper case.
/// 3. Run `scripts/generate settings`, which writes the sample file and the reference.
public struct EdgeConfiguration: Sendable {
  public var server = Server()
  public var session = Session()
  public var audio = Audio()
  public var routes = Routes()
  public var programs = Programs()
  public var calls = Calls()
  public var microphone = Microphone()
  public var mute = Mute()
  public var injection = Injection()
  public var keys = Keys()
  public var fallback = Fallback.light
  public var switching = Switching()
  /// The tunings of the products that ports name, from the file `audio.tuning`.
  public var tunings = TuningFile()
  /// The voice of the file `session.voiceprint`. Nil if there is none.
  public var voiceprint: Anechoic_V1_Voiceprint?
  /// The socket of the local control; nil for none.
  public var controlSocket: String? = ControlSocket().path

  public init() {}

  /// The processing on this machine while there is no server.
  public enum Fallback: String, Sendable, CaseIterable {
    /// Echo cancellation, high-pass filter, voice activity, muted talker and ducking.
    case light
    /// Everything that the session's configuration requests, on this machine.
    case full
    /// The microphone, unchanged. Mute and the playback mix work.
    case passThrough = "pass-through"
    /// Silence for the programs. The playback mix works.
    case silence
  }

  static let otherSettings: [Setting<EdgeConfiguration>] = [
    Setting(
      "fallback", \.fallback, .choice,
      """
      The processing on this machine while there is no server: light is echo cancellation, a \
      high-pass filter, voice activity, muted talker and ducking; full is everything that \
      session.config requests; pass-through is the microphone, unchanged; silence is nothing
      """),
    Setting(
      "control_socket", \.controlSocket, .controlSocket,
      "The socket of the local control, for anechoic-edge status, mute and others",
      unset: """
        /run/anechoic-edge/control.sock if the agent may write there, otherwise \
        $XDG_RUNTIME_DIR/anechoic-edge/control.sock, otherwise /tmp/anechoic-edge-UID/control.sock
        """),
  ]
}
