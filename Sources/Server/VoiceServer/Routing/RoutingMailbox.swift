internal import Authentication
internal import GRPCTransport
internal import Synchronization

/// The name of a group of machines. Clients that nobody has verified share all groups.
struct RoutingKey: Hashable, Sendable {
  private let owner: String
  let group: String

  init(_ group: String, of client: Principal) {
    owner = client.isVerified ? client.name : ""
    self.group = group
  }
}

/// The place of a machine in its group, as its call knows it.
struct RoutingPlace: Sendable {
  let key: RoutingKey
  let machine: String
  let mailbox: RoutingMailbox
}

/// The messages to one machine that its call has not sent yet.
final class RoutingMailbox: Sendable {
  /// The next thing that the call has to do.
  enum Step {
    /// Sends a serialized `ArbitrateResponse`.
    case response([UInt8])
    case wait
    case end(Status)
  }

  /// The maximum number of messages that wait. One more ends the call.
  static let capacity = 256

  private struct State {
    var messages: [[UInt8]] = []
    var end: Status?
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  /// Creates a mailbox. `wake` is called after each message, from any thread, and must return quickly.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  func put(_ message: [UInt8]) {
    state.withLock { state in
      guard state.end == nil else { return }
      if state.messages.count < Self.capacity {
        state.messages.append(message)
      } else {
        state.messages = []
        state.end = .slowMachine
      }
    }
    wake()
  }

  /// Ends the call after the messages that wait.
  func end(_ status: Status) {
    state.withLock { if $0.end == nil { $0.end = status } }
    wake()
  }

  func next() -> Step {
    state.withLock { state in
      if !state.messages.isEmpty { return .response(state.messages.removeFirst()) }
      return state.end.map(Step.end) ?? .wait
    }
  }
}
