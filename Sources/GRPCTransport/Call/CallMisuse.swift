/// A use of a call that its rules forbid. The call itself goes on as if the use had not been tried.
public enum CallMisuse: Error, Sendable, Equatable, CustomStringConvertible {
  /// A message was to be sent while another one is being sent.
  case secondWriter
  /// A message was asked for while another one is being waited for.
  case secondReader

  public var description: String {
    switch self {
    case .secondWriter: "another message of this call is being sent; wait until that has returned"
    case .secondReader: "another task waits for a message of this call; use one reader for a call"
    }
  }
}
