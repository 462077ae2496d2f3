/// How libwebrtc-audio-processing's canceller searches for the echo: fixed when it is made.
///
/// The default leaves the search to who aligns the reference: a short filter without a search of its
/// own removes as much echo then, and keeps more of the near voice
/// (docs/decisions/0006-echo-canceller-settings.md).
public struct WebRTCEchoSearch: Sendable, Equatable {
  /// A tail of 128 ms instead of 48.
  public var hasExtendedFilter: Bool
  /// Whether the canceller finds the delay by itself, by binary spectra.
  public var isDelayAgnostic: Bool
  /// Of the echo behind the reference as far as it is known, 0 to 500 ms.
  public var delay: Duration

  public init(
    hasExtendedFilter: Bool = false, isDelayAgnostic: Bool = false, delay: Duration = .zero
  ) {
    self.hasExtendedFilter = hasExtendedFilter
    self.isDelayAgnostic = isDelayAgnostic
    self.delay = delay
  }
}
