internal import GRPCTransport
internal import Synchronization

/// The sessions that run on this server, and whether new ones may come.
final class SessionDirectory: Sendable {
  private struct State {
    var ids: Set<String> = []
    var isDraining = false
  }

  let maximum: Int
  private let state = Mutex(State())
  private let departures: AsyncStream<Void>
  private let departed: AsyncStream<Void>.Continuation

  init(maximum: Int) {
    self.maximum = maximum
    (departures, departed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var count: Int { state.withLock { $0.ids.count } }

  /// Enters a session; throws when its id is taken, or the server is full or about to stop.
  func add(_ id: String) throws(Status) {
    let maximum = maximum
    let refusal: Status? = state.withLock { state in
      if state.isDraining { return .draining }
      if state.ids.contains(id) { return .sessionExists(id) }
      if state.ids.count >= maximum { return .full(maximum) }
      state.ids.insert(id)
      return nil
    }
    if let refusal { throw refusal }
  }

  func remove(_ id: String) {
    state.withLock { _ = $0.ids.remove(id) }
    departed.yield()
  }

  /// Takes no more sessions, and returns when the last one has ended or `grace` is over.
  func drain(grace: Duration) async {
    state.withLock { $0.isDraining = true }
    departed.yield()
    await withTaskGroup { group in
      group.addTask { try? await Task.sleep(for: grace) }
      group.addTask {
        for await _ in self.departures where self.count == 0 { return }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
