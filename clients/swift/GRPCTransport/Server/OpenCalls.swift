internal import Synchronization

/// The open calls of a server: the number on each connection, and the calls that wait for their
/// first message.
///
/// libgrpc enforces the limit of calls on a connection only for clients that acknowledge the limit.
final class OpenCalls: Sendable {
  /// The place of a call. For use on the call's thread.
  final class Place {
    fileprivate let peer: String
    private let calls: OpenCalls
    private var ticket: UInt64?

    fileprivate init(peer: String, ticket: UInt64, calls: OpenCalls) {
      self.peer = peer
      self.ticket = ticket
      self.calls = calls
    }

    /// Records that a message or the half-close of the client has come. Runs per frame.
    func hasMessage() {
      guard let ticket else { return }
      self.ticket = nil
      calls.state.withLock { state in
        state.waiting[ticket] = nil
        state.surplus.remove(ticket)
      }
    }

    func leave() {
      hasMessage()
      calls.leave(peer)
    }
  }

  private struct WaitingCall {
    let host: String
    let endSoon: @Sendable () -> Void
  }

  private struct State {
    var counts: [String: Int] = [:]
    /// The calls that wait, by their tickets. An older call has a lower ticket.
    var waiting: [UInt64: WaitingCall] = [:]
    /// The tickets of calls over the limit, which end unless their message comes soon.
    var surplus: Set<UInt64> = []
    var lastTicket: UInt64 = 0
  }

  /// The time in which the message of a call over the limit may still come. If a thousand calls
  /// start at once, many wait for a moment.
  private static let grace = Duration.milliseconds(500)

  private let mostOfConnection: Int
  private let mostWaiting: Int
  private let state = Mutex(State())

  init(_ limits: ServerLimits) {
    mostOfConnection = limits.callsPerConnection ?? .max
    mostWaiting = limits.callsWithoutMessage ?? .max
  }

  /// The status of a call that gets no place.
  var refusal: Status {
    Status(.resourceExhausted, "a connection may have \(mostOfConnection) calls open at a time")
  }

  /// The status of a call that ends because too many calls wait.
  static let tooManyWait = Status(
    .resourceExhausted, "too many calls wait for their first message")

  /// Counts a call and returns its place, or nil if its connection has too many open calls.
  func enter(_ call: ServerCall) -> Place? {
    let peer = call.peer
    let (executor, reference) = (call.executor, CallReference(call: call))
    let (ticket, surplus) = state.withLock { state -> (UInt64?, WaitingCall?) in
      guard state.counts[peer, default: 0] < mostOfConnection else { return (nil, nil) }
      state.counts[peer, default: 0] += 1
      state.lastTicket += 1
      let ticket = state.lastTicket
      state.waiting[ticket] = WaitingCall(host: PeerAddress.host(of: peer)) {
        executor.perform { self.endSoon(reference.call, ticket) }
      }
      return (ticket, state.waiting.count > mostWaiting ? Self.popSurplus(&state) : nil)
    }
    surplus?.endSoon()
    return ticket.map { Place(peer: peer, ticket: $0, calls: self) }
  }

  private func endSoon(_ call: ServerCall, _ ticket: UInt64) {
    _ = call.schedule(after: Self.grace) {
      guard self.state.withLock({ $0.surplus.remove(ticket) }) != nil else { return }
      call.abort(Self.tooManyWait)
    }
  }

  /// Removes and returns a call of the host with the most waiting calls: the one that has waited
  /// longest.
  private static func popSurplus(_ state: inout State) -> WaitingCall? {
    var counts: [String: Int] = [:]
    for call in state.waiting.values { counts[call.host, default: 0] += 1 }
    let host = counts.max { $0.value < $1.value }?.key
    guard let ticket = state.waiting.filter({ $0.value.host == host }).keys.min() else {
      return nil
    }
    state.surplus.insert(ticket)
    return state.waiting.removeValue(forKey: ticket)
  }

  private func leave(_ peer: String) {
    state.withLock { state in
      let left = state.counts[peer, default: 1] - 1
      state.counts[peer] = left > 0 ? left : nil
    }
  }
}
