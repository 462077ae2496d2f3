/// A count of the calls of a method. Called on the calls' threads, some functions for each message:
/// they must neither allocate nor lock nor wait.
public protocol CallObserver: AnyObject, Sendable {
  /// Records that a client has started a call.
  func started()
  /// Records that a message of the client has come.
  func received()
  /// Records that a message to the client has been passed to the transport.
  func sent()
  /// Records the end of a call. A call that its client gave up ends with CANCELLED.
  func handled(_ code: StatusCode, after time: Duration)
}

/// Whether the two sides of a call send one message or any number.
public enum CallShape: String, Sendable {
  case unary
  case clientStream = "client_stream"
  case serverStream = "server_stream"
  case bidirectionalStream = "bidi_stream"
}
