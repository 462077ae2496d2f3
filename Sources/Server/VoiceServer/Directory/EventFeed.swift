internal import GRPCTransport
internal import Synchronization
internal import VoiceSessions

/// The events of a session for its watchers: a bounded history, the state after the last event, and
/// the listeners to notify of a new event.
///
/// The session's thread only appends events and sends one signal, however many listeners there are.
/// A background task notifies the listeners.
final class EventFeed: Sendable {
  /// The number of events that the history keeps.
  static let capacity = 1000

  /// The content of the history at an event's id.
  enum Entry {
    /// A serialized `WatchSessionResponse`.
    case event([UInt8])
    /// The event is no longer kept.
    case forgotten(oldest: UInt64)
    /// The event has not happened yet.
    case notYet
    /// There is no such event, because the session has ended.
    case end
  }

  private struct State {
    var session: SessionState
    var oldestID: UInt64 = 1
    var events: [[UInt8]] = []
    var isClosed = false
  }

  private let state: Mutex<State>
  private let listeners = Listeners()
  private let signal: AsyncStream<Void>.Continuation

  init(_ session: SessionState) {
    state = Mutex(State(session: session))
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    signal = continuation
    Task(executorPreference: BackgroundExecutor.shared) { [weak self] in
      for await _ in signals { self?.listeners.tell() }
    }
  }

  deinit { signal.finish() }

  /// The state after the last event.
  var session: SessionState { state.withLock { $0.session } }

  /// Whether the session has ended.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Appends a serialized event and the state of the session after it.
  func publish(_ event: [UInt8], _ session: SessionState) {
    state.withLock { state in
      state.session = session
      state.events.append(event)
      if state.events.count > Self.capacity {
        state.events.removeFirst()
        state.oldestID += 1
      }
    }
    signal.yield()
  }

  /// Replaces the state of the session, which has changed without an event.
  func update(_ session: SessionState) {
    state.withLock { $0.session = session }
    signal.yield()
  }

  /// Marks the feed as complete, because the session has ended.
  func close() {
    state.withLock { $0.isClosed = true }
    signal.yield()
  }

  func entry(_ id: UInt64) -> Entry {
    state.withLock { state in
      guard id >= state.oldestID else { return .forgotten(oldest: state.oldestID) }
      let index = id - state.oldestID
      if index < UInt64(state.events.count) { return .event(state.events[Int(index)]) }
      return state.isClosed ? .end : .notYet
    }
  }

  /// Adds a listener, which is called after each change of the feed, on a thread of
  /// `BackgroundExecutor`. Returns an id for `stopListening`.
  func listen(_ listener: @escaping Listeners.Listener) -> UInt64 { listeners.add(listener) }

  func stopListening(_ id: UInt64) { listeners.remove(id) }
}
