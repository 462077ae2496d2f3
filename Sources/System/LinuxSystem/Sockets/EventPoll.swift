internal import CEpoll
internal import Glibc

/// The events of many descriptors, for one thread (`epoll`). The cost of an event does not depend on the
/// number of descriptors.
package struct EventPoll: ~Copyable {
  /// The kinds of events that a descriptor can be watched for.
  package struct Events: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Events(rawValue: EPOLLIN.rawValue)
    package static let writable = Events(rawValue: EPOLLOUT.rawValue)
    /// The connection has ended or failed. Comes without being watched for.
    package static let broken = Events(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  private let descriptor: Int32
  private var events: [epoll_event]

  /// Creates a poll that returns at most this number of events at once. Returns nil if the process has
  /// no more descriptors.
  package init?(mostEvents: Int) {
    events = [epoll_event](repeating: epoll_event(), count: mostEvents)
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Watches a descriptor. `id` comes with its events. A descriptor that is closed is forgotten.
  package func add(_ watched: Int32, id: UInt64, for events: Events) {
    control(EPOLL_CTL_ADD, watched, id, events)
  }

  /// Replaces the events that a descriptor is watched for.
  package func change(_ watched: Int32, id: UInt64, to events: Events) {
    control(EPOLL_CTL_MOD, watched, id, events)
  }

  /// Waits for events, and passes each to `body`.
  package mutating func wait(atMost time: Duration, _ body: (UInt64, Events) -> Void) {
    // The system waits whole milliseconds.
    let milliseconds = Int32(clamping: Int64(max(.zero, time) / .milliseconds(1)) + 1)
    let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
    for event in events.prefix(Int(max(0, count))) {
      body(event.data.u64, Events(rawValue: event.events))
    }
  }

  private func control(_ operation: Int32, _ watched: Int32, _ id: UInt64, _ events: Events) {
    var event = epoll_event(events: events.rawValue, data: epoll_data_t(u64: id))
    epoll_ctl(descriptor, operation, watched, &event)
  }
}
