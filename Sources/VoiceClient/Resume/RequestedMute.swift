/// The mute state of a session as its client shows it: the state that the server has told, and a request of
/// this client that the server has not answered yet.
///
/// A mute takes effect with the request, and an unmute with the server's answer. Without a server, both take
/// effect at once.
package struct RequestedMute: Sendable, Equatable {
  private struct Request: Equatable {
    var muted: Bool
    /// The number of the request.
    var controlID: UInt64
    /// Whether the server has told this state since.
    var wasTold = false
  }

  /// The state that the server has told, or the last request without a server.
  package private(set) var told: Bool
  private var request: Request?
  /// Whether there is no server that could answer.
  private var isAway = false

  package init(muted: Bool) { told = muted }

  /// Whether the microphone must not be heard.
  package var isMuted: Bool { isAway ? wanted : told || request?.muted == true }

  /// The state with which a new session begins.
  package var wanted: Bool { request?.muted ?? told }

  /// Whether the server may not have applied a mute yet.
  package var isAhead: Bool { !told && request?.muted == true }

  /// Notes a request to a session.
  package mutating func ask(_ muted: Bool, controlID: UInt64) {
    request = Request(muted: muted, controlID: controlID)
  }

  /// Notes a state that the server tells, whoever changed it. A request stays until it is answered.
  package mutating func changed(to muted: Bool) {
    told = muted
    if request?.muted == muted { request?.wasTold = true }
  }

  /// Notes the answer to a control. Answers to other controls are ignored.
  package mutating func answered(controlID: UInt64, isRefused: Bool) {
    guard let request, request.controlID == controlID else { return }
    // Another client may have changed the state after this request.
    if !isRefused, !request.wasTold { told = request.muted }
    self.request = nil
  }

  /// Forgets a request whose answer was noted as a state. Other requests stay.
  package mutating func withdraw(controlID: UInt64) {
    if request?.controlID == controlID { request = nil }
  }

  /// Notes that the connection is lost. The request is sent again if the session goes on.
  package mutating func connectionLost() { isAway = true }

  /// Notes that the session goes on, or another one runs, in this state.
  package mutating func connected(muted: Bool) {
    isAway = false
    told = muted
  }

  /// Sets the state without a session. No request waits any more.
  package mutating func settle(_ muted: Bool) {
    told = muted
    request = nil
  }
}
