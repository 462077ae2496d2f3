/// The code behind one call of an RPC. Every method runs on the call's own thread, one after another:
/// a handler needs no locks, and must not block.
public protocol ServerCallHandler: AnyObject {
  /// Takes the message that `ServerCall.read()` asked for. The bytes are lent until this returns.
  func received(_ message: UnsafeRawBufferPointer)
  /// Notes that the client has sent its last message. Called once at most, in place of a message.
  func halfClosed()
  /// Notes that the write has left. The next one may follow.
  func writeCompleted()
  /// Notes that the client has not read for as long as the write deadline allows. The call is being
  /// aborted; `cancelled()` follows.
  func stalled()
  /// Notes that the client is gone, that its deadline has passed, or that the server stops. Nothing
  /// can be sent any more. Not called once `ServerCall.finish` has sent its status.
  func cancelled()
  /// Notes the end of the call, however it ended. Nothing follows.
  func ended()
}

extension ServerCallHandler {
  /// Does nothing.
  public func stalled() {}
}
