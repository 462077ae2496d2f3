/// The way in which libwebrtc-audio-processing's canceller searches for the echo. It is fixed when
/// the canceller is created.
///
/// The default leaves the search to the aligner. With an aligned reference, a short filter without
/// a search removes as much echo and keeps more of the near voice
/// (docs/decisions/0006-echo-canceller-settings.md).
public struct WebRTCEchoSearch: Sendable, Equatable {
  /// Whether the filter covers 128 ms instead of 48 ms.
  public var hasExtendedFilter: Bool
  /// Whether the canceller finds the delay itself, with binary spectra.
  public var isDelayAgnostic: Bool
  /// The expected delay of the echo after the reference, 0 to 500 ms.
  public var delay: Duration

  public init(
    hasExtendedFilter: Bool = false, isDelayAgnostic: Bool = false, delay: Duration = .zero
  ) {
    self.hasExtendedFilter = hasExtendedFilter
    self.isDelayAgnostic = isDelayAgnostic
    self.delay = delay
  }
}
