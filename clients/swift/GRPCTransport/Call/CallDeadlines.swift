/// A time limit for a client, and the status that ends the call of a client that exceeds it.
public struct CallDeadline: Sendable, Equatable {
  public var limit: Duration
  public var status: Status

  public init(_ limit: Duration, _ status: Status) {
    self.limit = limit
    self.status = status
  }
}

/// The time limits for the client of a call. A limit that is nil does not exist.
public struct CallDeadlines: Sendable, Equatable {
  /// The time from the start of the call until the client's first message or half-close. A call
  /// that is late ends with the status and its details.
  public var start: CallDeadline?
  /// The time for each message, and for the status at the end, to leave. HTTP/2's flow control
  /// holds a message back if the client does not read. The call is then aborted, and the client
  /// gets the status without its details.
  public var write: CallDeadline?

  public init(start: CallDeadline? = nil, write: CallDeadline? = nil) {
    self.start = start
    self.write = write
  }
}
