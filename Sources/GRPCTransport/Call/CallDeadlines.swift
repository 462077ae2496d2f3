/// A time limit for a client, and the status that ends the call of a client that exceeds it.
public struct CallDeadline: Sendable, Equatable {
  public var limit: Duration
  public var status: Status

  public init(_ limit: Duration, _ status: Status) {
    self.limit = limit
    self.status = status
  }
}

/// The time limits that a server sets the client of a call. A limit that is nil does not exist.
public struct CallDeadlines: Sendable, Equatable {
  /// From the start of the call until the client's first message or half-close. The call ends with
  /// the status and its details.
  public var start: CallDeadline?
  /// For each message to leave, and for the status at the end. A message that HTTP/2's flow control
  /// holds back longer belongs to a client that does not read: the call is aborted, and the client
  /// gets the status without its details.
  public var write: CallDeadline?

  public init(start: CallDeadline? = nil, write: CallDeadline? = nil) {
    self.start = start
    self.write = write
  }
}
