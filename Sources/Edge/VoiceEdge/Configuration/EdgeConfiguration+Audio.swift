internal import AnechoicAPI
public import AudioCore
internal import Settings

extension EdgeConfiguration {
  public struct Audio: Sendable {
    /// The sample rate of the session. Devices may have others.
    public var rate = SampleRate.hz48000
    /// The number of channels of the microphone and the processed voice.
    public var inputChannels = 1
    /// The number of channels of the loudspeaker.
    public var outputChannels = 2
    /// The size of a device's buffer, in periods of 10 ms.
    public var periods = 4
    /// The gain of the loudspeaker in dB.
    public var volume = 0.0
    public var reference = Reference.automatic
    /// The file with the tunings. Nil for none.
    public var tuning: NamedFile?
  }

  /// The source of the echo reference.
  public enum Reference: Sendable, Equatable {
    /// The loopback of the route if it has one, otherwise reports.
    case automatic
    /// Everything that the loudspeaker of a desktop plays, also by other programs.
    case desktop
    /// Reports of when the server's mix was heard.
    case reports
    /// The samples that the agent played, after its gain.
    case tap
    /// A capture PCM of ALSA that hears everything that the loudspeaker plays.
    case pcm(String)

    /// Whether ports with a loopback or with reference channels use them.
    var mayLoop: Bool { self != .reports && self != .tap }
  }

  static let audioSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "audio.rate", \.audio.rate, .words(SampleRate.allCases.map { ("\($0.hertz)", $0) }),
      """
      The sample rate of the session in Hz. The agent opens a device that does not support this \
      rate at another of them, and converts
      """),
    Setting(
      "audio.input_channels", \.audio.inputChannels, .integer(1...2),
      "The number of channels of the microphone and the processed voice"),
    Setting(
      "audio.output_channels", \.audio.outputChannels, .integer(1...2),
      "The number of channels of the loudspeaker"),
    Setting(
      "audio.periods", \.audio.periods, .integer(2...32),
      """
      The size of a device's buffer in periods of 10 ms. A larger buffer is safer and adds \
      latency. Devices with periods longer than 50 ms are refused
      """),
    Setting(
      "audio.volume_db", \.audio.volume, .number(-60...0), "The gain of the loudspeaker in dB"),
    Setting(
      "audio.reference", \.audio.reference, .reference,
      """
      The echo reference. With auto, the loopback of the port if it has one, otherwise reports; \
      with desktop, and with auto and programs.desktop for an output pulse or pulse:NAME, the \
      loopback is the monitor of the sound server, which hears all programs; with reports, the \
      agent tells the server when its mix was heard, in a few bytes ten times a second; with tap, \
      it sends the samples that it plays, after its gain; alsa:PCM names a capture PCM that hears \
      all programs, which is the loopback of each port that names none and has no headphones
      """),
    Setting(
      "audio.tuning", \.audio.tuning, .optional(.namedFile),
      """
      A file with tunings of products: filters of the microphone and the loudspeaker, level, \
      delay and echo strength. anechoic-edge tune measures and writes them. See \
      docs/reference/edge.md
      """),
  ]
}
