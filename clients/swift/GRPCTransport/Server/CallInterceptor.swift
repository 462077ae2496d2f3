/// A check of each call before its handler exists.
public protocol CallInterceptor: Sendable {
  /// Decides about a call. Runs on the call's thread and must not block it. A decision that takes
  /// longer is pending: it is made on the threads of `BackgroundExecutor`. Meanwhile the call reads
  /// nothing, and its start deadline runs.
  func admission(of call: ServerCall) -> Admission
}

/// The answer of an interceptor.
public enum Admission: Sendable {
  case decided(Decision)
  case pending(@Sendable () async -> Decision)

  /// The decision about one call.
  public enum Decision: Sendable {
    /// The handler starts. `ServerCall.attachment` is the value.
    case admitted(any Sendable, expiry: Expiry? = nil)
    /// The call ends with the status, without a handler.
    case refused(Status)
  }

  /// The time at which an admitted call ends with a status, if it has not ended by then.
  public struct Expiry: Sendable {
    public let after: Duration
    public let status: Status

    public init(after: Duration, _ status: Status) {
      self.after = after
      self.status = status
    }
  }
}
