/// The code behind a call of an RPC. All methods run on the call's own thread, one after another,
/// so that a handler needs no locks. A handler must not block.
public protocol ServerCallHandler: AnyObject {
  /// Takes the message that `ServerCall.read()` asked for. The bytes are lent until this returns.
  func received(_ message: UnsafeRawBufferPointer)
  /// Records that the client has sent its last message. Called at most once, instead of a message.
  func halfClosed()
  /// Records that the write has left. The next one may follow.
  func writeCompleted()
  /// Takes the status for a client that broke a rule of the protocol. Returns whether the handler ends
  /// the call with it, after what it has to send. Otherwise the call ends at once.
  func failed(_ status: Status) -> Bool
  /// Records that the client has not read for as long as the write deadline allows. The call is
  /// being aborted; `cancelled()` follows.
  func stalled()
  /// Records that the client is gone, that its deadline has passed, or that the server stops.
  /// Nothing more can be sent. Not called after `ServerCall.finish` has sent its status.
  func cancelled()
  /// Records the end of the call, for any cause. No other event follows.
  func ended()
}

extension ServerCallHandler {
  /// Does nothing.
  public func stalled() {}
  /// Lets the call end at once.
  public func failed(_ status: Status) -> Bool { false }
}
