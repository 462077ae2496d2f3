internal import GRPCTransport
internal import Synchronization

/// The sessions that run on this server.
final class SessionDirectory: Sendable {
  let maximum: Int
  private let ids = Mutex(Set<String>())

  init(maximum: Int) { self.maximum = maximum }

  var count: Int { ids.withLock { $0.count } }

  /// Enters a session; throws when its id is taken or the server is full.
  func add(_ id: String) throws(Status) {
    let maximum = maximum
    let refusal: Status? = ids.withLock { ids in
      if ids.contains(id) { return .sessionExists(id) }
      if ids.count >= maximum { return .full(maximum) }
      ids.insert(id)
      return nil
    }
    if let refusal { throw refusal }
  }

  func remove(_ id: String) {
    ids.withLock { _ = $0.remove(id) }
  }
}
