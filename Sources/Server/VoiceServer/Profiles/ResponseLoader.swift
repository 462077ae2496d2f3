internal import AudioCore
internal import GRPCTransport
internal import SpatialAudio
internal import Synchronization

/// The head-related sets of profiles that sessions have in use. Loads one at a time, on a thread of
/// `BackgroundExecutor`.
final class ResponseLoader: Sendable {
  private struct Key: Hashable {
    let digest: String
    let rate: SampleRate
  }

  private struct Weak {
    weak var set: HeadRelatedSet?
  }

  /// Runs one body at a time.
  private actor Turn {
    func take<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
      try body()
    }
  }

  private let sets = Mutex<[Key: Weak]>([:])
  private let turn = Turn()

  /// Returns a set that is in use, at once.
  func loaded(_ digest: String, _ rate: SampleRate) -> HeadRelatedSet? {
    sets.withLock { $0[Key(digest: digest, rate: rate)]?.set }
  }

  /// Returns the set of responses with a digest.
  func load(
    _ digest: String, _ rate: SampleRate, _ read: @escaping @Sendable () throws -> MeasuredResponses
  ) async throws -> HeadRelatedSet {
    try await withTaskExecutorPreference(BackgroundExecutor.shared) {
      try await turn.take {
        if let set = self.loaded(digest, rate) { return set }
        let set = try HeadRelatedSet(read(), rate: rate)
        self.sets.withLock { sets in
          sets = sets.filter { $0.value.set != nil }
          sets[Key(digest: digest, rate: rate)] = Weak(set: set)
        }
        return set
      }
    }
  }
}
