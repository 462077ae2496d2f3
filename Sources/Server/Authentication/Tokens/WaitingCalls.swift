internal import Synchronization

/// The calls whose tokens are being verified. Their number is limited, for each host and in all.
final class WaitingCalls: Sendable {
  static let most = 256
  static let mostOfHost = 64

  /// The place of a call. It is free again when the last reference to it is released.
  final class Place: Sendable {
    private let host: String
    private let calls: WaitingCalls

    fileprivate init(_ host: String, _ calls: WaitingCalls) {
      self.host = host
      self.calls = calls
    }

    deinit { calls.leave(host) }
  }

  private struct State {
    var total = 0
    var hosts: [String: Int] = [:]
  }

  private let state = Mutex(State())

  /// The number of calls that wait.
  var count: Int { state.withLock { $0.total } }

  /// Returns a place for a call of a host, or nil if too many calls wait.
  func enter(_ host: String) -> Place? {
    let hasPlace = state.withLock { state in
      guard state.total < Self.most, state.hosts[host, default: 0] < Self.mostOfHost else {
        return false
      }
      state.total += 1
      state.hosts[host, default: 0] += 1
      return true
    }
    return hasPlace ? Place(host, self) : nil
  }

  private func leave(_ host: String) {
    state.withLock { state in
      state.total -= 1
      let left = state.hosts[host, default: 1] - 1
      state.hosts[host] = left > 0 ? left : nil
    }
  }
}
