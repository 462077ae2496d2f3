internal import Synchronization

/// The mean squares of the last frames of an input. One thread appends, while another looks them up.
final class RecentLevels: Sendable {
  /// The number of frames to keep: ten minutes, longer than a session survives without its client.
  static let kept = 60_000

  private struct State {
    var ring: [Float] = []
    /// The number of frames that were appended.
    var count = 0
  }

  private let state = Mutex(State())

  func append(_ meanSquare: Float) {
    state.withLock { state in
      if state.ring.count < Self.kept {
        state.ring.append(meanSquare)
      } else {
        state.ring[state.count % Self.kept] = meanSquare
      }
      state.count += 1
    }
  }

  /// Returns the mean square of a frame, or nil if the frame is not known or not kept.
  subscript(frame: Int) -> Float? {
    state.withLock { state in
      guard frame < state.count, frame >= state.count - state.ring.count else { return nil }
      return state.ring[frame % Self.kept]
    }
  }
}
