/// How libwebrtc-audio-processing's canceller searches for the echo: fixed when it is made.
public struct WebRTCEchoSearch: Sendable, Equatable {
  /// A tail of 128 ms instead of 48.
  public var hasExtendedFilter: Bool
  /// Whether the canceller finds the delay by itself, by binary spectra.
  public var isDelayAgnostic: Bool
  /// Of the echo behind the reference as far as it is known, 0 to 500 ms.
  public var delay: Duration

  public init(
    hasExtendedFilter: Bool = true, isDelayAgnostic: Bool = true, delay: Duration = .zero
  ) {
    self.hasExtendedFilter = hasExtendedFilter
    self.isDelayAgnostic = isDelayAgnostic
    self.delay = delay
  }
}
