internal import AnechoicAPI
internal import GRPCTransport

/// One page of a list of sessions. A token is the id that the page before ended with.
struct SessionPage {
  private static let standardSize = 50
  private static let largestSize = 1000

  private let size: Int
  private let token: String

  init(_ request: Anechoic_V1_ListSessionsRequest) throws(Status) {
    guard request.pageSize >= 0 else {
      throw Status(InvalidField("page_size", "is less than 0"))
    }
    guard request.pageToken.isEmpty || Identifier.isValid(request.pageToken) else {
      throw Status(InvalidField("page_token", "is not one of this service"))
    }
    size =
      request.pageSize == 0 ? Self.standardSize : min(Int(request.pageSize), Self.largestSize)
    token = request.pageToken
  }

  /// The sessions of the page, and the token of the next; "" after the last.
  func cut(from sessions: [SessionHandle]) -> ([SessionHandle], next: String) {
    let rest = token.isEmpty ? sessions[...] : sessions.drop { $0.id <= token }
    let page = Array(rest.prefix(size))
    return (page, rest.count > size ? page.last?.id ?? "" : "")
  }
}
