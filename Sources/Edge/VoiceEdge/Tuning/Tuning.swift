public import AnechoicAPI

/// The correction of a product's microphone and loudspeaker.
public struct Tuning: Sendable, Equatable {
  /// The correction of one direction.
  public struct Direction: Sendable, Equatable {
    /// The allowed gains in dB.
    public static let levels = -40.0...20

    /// The gain in dB.
    public var level = 0.0
    /// Up to `FilterShape.most` filters.
    public var filters: [FilterShape] = []

    public init(level: Double = 0, filters: [FilterShape] = []) {
      self.level = level
      self.filters = filters
    }
  }

  /// The longest delay in ms.
  public static let longestDelay = 500

  public var capture = Direction()
  public var playback = Direction()
  /// The time in ms by which the sound is heard later than the device's times say.
  public var delay = 0
  /// The strength of the echo suppression. Nil leaves the session's.
  public var echo: Anechoic_V1_VoiceProcessing.Level?

  public init() {}
}
