/// Whether a session's microphone is muted, and who last changed that.
public struct MuteState: Sendable, Equatable {
  public private(set) var isMuted: Bool
  /// Grows by one with every change.
  public private(set) var generation: UInt64 = 0
  public private(set) var origin: ControlOrigin
  /// By what kind of act the state came about.
  public private(set) var source: Source

  public enum Source: Sendable { case mediaClient, controlClient, gesture }

  public init(isMuted: Bool, origin: ControlOrigin) {
    self.isMuted = isMuted
    self.origin = origin
    source = origin.muteSource
  }

  /// Throws ABORTED where `generation` is given and is not the state's any more.
  ///
  /// - Returns: Whether this changed anything.
  mutating func set(
    _ muted: Bool, ifGeneration expected: UInt64? = nil, by origin: ControlOrigin, source: Source
  ) throws(Refusal) -> Bool {
    if let expected, expected != generation {
      throw Refusal(
        .aborted, reason: "STALE_GENERATION",
        message: "if_generation: \(expected) is not the generation now, which is \(generation)")
    }
    guard muted != isMuted else { return false }
    isMuted = muted
    generation += 1
    self.origin = origin
    self.source = source
    return true
  }
}

/// Who asks for a change.
public struct ControlOrigin: Sendable, Equatable {
  /// What the client calls itself.
  public let actor: String
  /// Whether it is the one that streams the audio.
  public let isMediaClient: Bool

  public init(actor: String, isMediaClient: Bool) {
    self.actor = actor
    self.isMediaClient = isMediaClient
  }

  var muteSource: MuteState.Source { isMediaClient ? .mediaClient : .controlClient }
}
