internal import Synchronization

/// The places of the calls that watch a session. They are fewer than the calls of the listener, so that
/// pages that watch leave room for other calls.
final class WatchPlaces: Sendable {
  static let most = 12

  private let taken = Mutex(0)

  /// Runs `body` with a place. Returns false, without running it, if there is none.
  func enter(_ body: () async -> Void) async -> Bool {
    let isFree = taken.withLock { taken in
      guard taken < Self.most else { return false }
      taken += 1
      return true
    }
    guard isFree else { return false }
    await body()
    taken.withLock { $0 -= 1 }
    return true
  }
}
