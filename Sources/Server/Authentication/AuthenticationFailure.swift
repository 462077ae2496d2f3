internal import AnechoicAPI

/// The reason why a call has no principal. The descriptions contain nothing of a token.
public enum AuthenticationFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name in the header `anechoic-client` is not allowed.
  case badClientName
  /// The call carries no proof of the client's identity.
  case missing(String)
  /// The proof is not accepted.
  case invalid(String)
  /// Too many calls wait until their tokens have been verified.
  case tooManyWait

  public var description: String {
    switch self {
    case .badClientName: ClientNameRule.text
    case .missing(let problem), .invalid(let problem): problem
    case .tooManyWait: "too many calls wait until their tokens have been verified"
    }
  }
}
