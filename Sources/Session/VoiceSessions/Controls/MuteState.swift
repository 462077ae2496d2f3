/// The mute state of a session and the origin of its last change.
public struct MuteState: Sendable, Equatable {
  public private(set) var isMuted: Bool
  /// Grows by one with every change.
  public private(set) var generation: UInt64 = 0
  public private(set) var origin: ControlOrigin
  /// The kind of the last change.
  public private(set) var source: Source

  public enum Source: Sendable { case mediaClient, controlClient, gesture }

  public init(isMuted: Bool, origin: ControlOrigin) {
    self.isMuted = isMuted
    self.origin = origin
    source = origin.muteSource
  }

  /// Sets the mute state.
  ///
  /// - Returns: Whether the state changed.
  /// - Throws: A refusal of the kind `aborted` where `expected` is not the present generation.
  mutating func set(
    _ muted: Bool, ifGeneration expected: UInt64? = nil, by origin: ControlOrigin, source: Source
  ) throws(Refusal) -> Bool {
    if let expected, expected != generation {
      throw Refusal(
        .aborted, reason: "STALE_GENERATION",
        message: "if_generation: the generation is \(generation), not \(expected)")
    }
    guard muted != isMuted else { return false }
    isMuted = muted
    generation += 1
    self.origin = origin
    self.source = source
    return true
  }
}

/// The client that asked for a change.
public struct ControlOrigin: Sendable, Equatable {
  /// The name that the client gave itself.
  public let actor: String
  /// Whether the client streams the audio.
  public let isMediaClient: Bool

  public init(actor: String, isMediaClient: Bool) {
    self.actor = actor
    self.isMediaClient = isMediaClient
  }

  var muteSource: MuteState.Source { isMediaClient ? .mediaClient : .controlClient }
}
