/// Makes the traces of calls. Called on the calls' threads.
public protocol CallTracer: Sendable {
  /// Returns the trace of a call that starts, or nil if the call is not recorded.
  func trace(of call: ServerCall) -> (any CallTrace)?
}

/// The trace of one call.
public protocol CallTrace: AnyObject, Sendable {
  /// Records the end of the call. A call that its client gave up ends with CANCELLED.
  func ended(_ code: StatusCode)
}
