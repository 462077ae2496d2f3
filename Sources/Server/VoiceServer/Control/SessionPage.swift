internal import AnechoicAPI
internal import GRPCTransport

/// One page of a list of sessions. The token of a page is the last id on the page before.
struct SessionPage {
  private static let standardSize = 50
  private static let largestSize = 1000

  private let size: Int
  private let token: String

  init(_ request: Anechoic_V1_ListSessionsRequest) throws(Status) {
    guard request.pageSize >= 0 else {
      throw Status(InvalidFieldError("page_size", "must not be less than 0"))
    }
    guard request.pageToken.isEmpty || Identifier.isValid(request.pageToken) else {
      throw Status(
        InvalidFieldError("page_token", "must be empty or the next_page_token of an earlier answer")
      )
    }
    size =
      request.pageSize == 0 ? Self.standardSize : min(Int(request.pageSize), Self.largestSize)
    token = request.pageToken
  }

  /// Returns the sessions on the page and the token of the next page, or "" if this page is the
  /// last.
  func cut(from sessions: [SessionHandle]) -> ([SessionHandle], next: String) {
    let rest = token.isEmpty ? sessions[...] : sessions.drop { $0.id <= token }
    let page = Array(rest.prefix(size))
    return (page, rest.count > size ? page.last?.id ?? "" : "")
  }
}
