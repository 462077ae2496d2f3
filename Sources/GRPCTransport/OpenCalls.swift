internal import Synchronization

/// The calls that each connection has open: libgrpc holds only those clients to their limit that
/// acknowledge it.
final class OpenCalls: Sendable {
  /// The place of one call.
  struct Place {
    fileprivate let peer: String
    fileprivate let calls: OpenCalls

    func leave() { calls.leave(peer) }
  }

  private let most: Int
  private let counts = Mutex<[String: Int]>([:])

  /// Counts up to `most` calls of a connection; nil for any number.
  init(most: Int?) {
    self.most = most ?? .max
  }

  /// The status of a call that finds no place.
  var refusal: Status {
    Status(.resourceExhausted, "a connection may have \(most) calls open at a time")
  }

  /// Counts a call of the client at an address, or returns nil where that has too many open.
  func enter(peer: String) -> Place? {
    let enters = counts.withLock { counts in
      guard counts[peer, default: 0] < most else { return false }
      counts[peer, default: 0] += 1
      return true
    }
    return enters ? Place(peer: peer, calls: self) : nil
  }

  private func leave(_ peer: String) {
    counts.withLock { counts in
      let left = counts[peer, default: 1] - 1
      counts[peer] = left > 0 ? left : nil
    }
  }
}

/// A call that ends with a status before it has begun.
final class RefusedCall: ServerCallHandler {
  init(_ call: ServerCall, _ status: Status) { call.finish(status) }

  func received(_ message: UnsafeRawBufferPointer) {}
  func halfClosed() {}
  func writeCompleted() {}
  func cancelled() {}
  func ended() {}
}
