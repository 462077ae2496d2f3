public import SpatialAudio

/// The choice of a person to hear named far ends and other audio from different directions.
public struct SpatialSettings: Sendable, Equatable {
  /// The largest number of named far ends, and of sources.
  public static let largestSourceCount = BinauralRenderer.largestSourceCount

  public var isEnabled = false
  /// Whether poses of the head have an effect.
  public var isHeadTracked = false
  public var hasReflections = true
  /// Whether other audio stays as it is.
  public var mixesOtherAudio = false
  /// The id of the listener's profile. Empty selects the generic responses.
  public var listenerProfile = ""
  /// Each far end occurs once.
  public var sources: [Source] = []

  public init() {}

  /// The place and the gain of a far end.
  public struct Source: Sendable, Equatable {
    /// Decibels.
    public static let gains: ClosedRange<Float> = -60...12

    public var farEnd: String
    public var placement: Placement
    /// In decibels.
    public var gain: Float

    public init(farEnd: String, placement: Placement = .ahead, gain: Float = 0) {
      self.farEnd = farEnd
      self.placement = placement
      self.gain = gain
    }
  }
}
