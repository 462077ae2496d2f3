/// A use of a call that its rules forbid. The call itself continues as if it had not been tried.
public enum CallMisuse: Error, Sendable, Equatable, CustomStringConvertible {
  /// A task tried to send a message while another message was being sent.
  case secondWriter
  /// A task tried to receive a message while another task was waiting for one.
  case secondReader

  public var description: String {
    switch self {
    case .secondWriter: "another message of this call is being sent; wait until that has returned"
    case .secondReader: "another task waits for a message of this call; use one reader for a call"
    }
  }
}
