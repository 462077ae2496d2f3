/// The conditions of one frame that an echo canceller cannot hear.
public struct EchoConditions: Sendable, Equatable {
  /// The way of the echo, from the reference that the engine gets to the microphone.
  public enum Path: Sendable, Equatable {
    /// The delay of the echo after its reference is known, and nothing has changed since the last
    /// frame.
    case steady
    /// With this frame, the reference was moved to another delay, with a cross-fade over the frame. An
    /// echo that has not moved itself now follows its reference this many samples of the reference's
    /// rate sooner, or later if negative. If the echo moved first, which the aligner notices within a
    /// second, a filter from before that move fits again.
    case moved(samples: Int)
    /// The echo takes another way, because the devices have changed. A filter of the old way does not
    /// fit.
    case new
    /// The delay of the echo after its reference is not known. The echo may follow later than a filter
    /// reaches, or not at all.
    case unknown
  }

  public var path: Path
  /// Whether the reference of this frame has not arrived. The engine gets silence instead, but the
  /// loudspeaker may have played.
  public var isReferenceMissing: Bool
  /// Whether samples of the microphone are missing from this frame and were concealed, or fade in
  /// after such a gap.
  public var isMicrophoneConcealed: Bool
  /// Whether the microphone is silent where the echo of the reference must be, because a switch or a
  /// noise gate of its own mutes it. It says nothing about the echo path. Once it is open again, it has the
  /// echo of what is played meanwhile.
  public var isMicrophoneMuted: Bool
  /// Whether what is left of the microphone may be echo, because the canceller has not learnt its path
  /// or has just lost it.
  public var mayHearEcho: Bool

  public init(
    path: Path = .unknown, isReferenceMissing: Bool = false, isMicrophoneConcealed: Bool = false,
    isMicrophoneMuted: Bool = false, mayHearEcho: Bool = false
  ) {
    self.path = path
    self.isReferenceMissing = isReferenceMissing
    self.isMicrophoneConcealed = isMicrophoneConcealed
    self.isMicrophoneMuted = isMicrophoneMuted
    self.mayHearEcho = mayHearEcho
  }
}
