/// An error of a bus or of a program on it.
public struct BusError: Error, Equatable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// There is no connection, or it was lost.
    case disconnected
    /// There was no answer within the limit.
    case timedOut
    /// The program answered with an error.
    case refused
    /// The message is not valid, or too many calls wait for an answer.
    case invalid
  }

  public let kind: Kind
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  static let lost = BusError(.disconnected, "the connection to the bus was lost")
}
