/// The mute state of a session as its client shows it: the state that the server has reported, and
/// a request of this client that the server has not carried out yet.
///
/// A mute takes effect with the request, and an unmute with the server's answer. A request that the server
/// refuses stays, and is sent again. Without a server, requests take effect at once, and the next session gets
/// the last one. Samples are those of the microphone.
package struct RequestedMute: Sendable, Equatable {
  private struct Request: Equatable {
    var muted: Bool
    /// The number of the request. Nil if it was made without a server.
    var controlID: UInt64?
    /// Whether the server has reported this state since.
    var wasTold = false
  }

  /// The state that the server has reported last.
  private var told: Bool
  /// The sample from which on the server has that state. `.max` while it is not known.
  private var toldAt: Int64 = .max
  private var request: Request?
  /// Whether there is no server that could answer.
  private var isAway = true
  /// The sample from which on the server has applied the mute, so that its output may contain injected speech,
  /// and nothing else. `.max` while a request of this client is under way, or the session is not muted.
  package private(set) var appliedFrom: Int64 = .max

  /// Begins without a server.
  package init(muted: Bool) { told = muted }

  /// Whether the microphone must not be heard.
  package var isMuted: Bool { isAway ? wanted : told || request?.muted == true }

  /// The number of the last request, while it is not answered. Nil for a request without a server.
  package var controlID: UInt64? { request?.controlID }

  /// The state with which a new session begins.
  package var wanted: Bool { request?.muted ?? told }

  /// The state of the session. Without a server, the one with which the next session begins.
  package var state: Bool { isAway ? wanted : told }

  /// Records a request. The number is the one of its control, or nil without a server.
  package mutating func ask(_ muted: Bool, controlID: UInt64? = nil) {
    request = Request(muted: muted, controlID: controlID)
    appliedFrom = .max
  }

  /// Records a mute state that the server reports, including changes by other clients. A request
  /// stays until it is answered. `sample` is nil if the server has not reported the sample yet.
  package mutating func changed(to muted: Bool, at sample: Int64? = nil) {
    if sample != nil || muted != told { toldAt = sample ?? .max }
    told = muted
    if request?.muted == muted { request?.wasTold = true }
    update()
  }

  /// Records the answer to a control, which was applied at a sample. Answers to other controls are
  /// ignored, and so are refusals: the request is sent again.
  package mutating func answered(controlID: UInt64, isRefused: Bool, at sample: Int64) {
    guard let request, request.controlID == controlID, !isRefused else { return }
    // Another client may have changed the state after this request.
    if !request.wasTold { (told, toldAt) = (request.muted, sample) }
    withdraw(controlID: controlID)
  }

  /// Forgets a request that was noted as a state, or is not made again. Other requests stay.
  package mutating func withdraw(controlID: UInt64) {
    guard request?.controlID == controlID else { return }
    request = nil
    update()
  }

  /// Records that the server is gone. The last request remains in force.
  package mutating func connectionLost() { isAway = true }

  /// Records that the session goes on, or another one runs, in this state. The request that was not
  /// answered is sent again.
  package mutating func resumed(muted: Bool, at sample: Int64) {
    isAway = false
    request?.wasTold = false
    (told, toldAt) = (muted, sample)
    update()
  }

  /// Records that a session runs in this state, to which nothing was sent yet. Returns the state
  /// that it has to be asked for, or nil if it has that state.
  package mutating func began(muted: Bool, at sample: Int64) -> Bool? {
    if request?.muted == muted { request = nil }
    resumed(muted: muted, at: sample)
    return request?.muted
  }

  private mutating func update() {
    appliedFrom = told && request == nil ? toldAt : .max
  }
}
