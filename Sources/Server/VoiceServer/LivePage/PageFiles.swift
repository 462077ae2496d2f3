internal import CLivePage
internal import Operations

/// The files of a page, by their paths.
struct PageFiles: Sendable {
  static let live = PageFiles("/live")
  static let trying = PageFiles("/try")

  /// Nothing but the files of this server may be loaded, run, drawn or asked, and no page may show this
  /// page in a frame. Text of clients can only become text: a browser that knows Trusted Types refuses
  /// to make markup of text.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  static let headers = [
    "Content-Security-Policy": policy, "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
  ]

  let all: [String: HTTPResponse]

  /// Finds the files of the page with a path such as `/live`.
  private init(_ page: String) {
    let files = UnsafeBufferPointer(start: clp_files(), count: clp_files_count())
      .map { (path: String(cString: $0.path), file: $0) }
      .filter { $0.path == page || $0.path.hasPrefix(page + "/") }
    all = Dictionary(
      uniqueKeysWithValues: files.map { path, file in
        var response = HTTPResponse(
          Array(UnsafeBufferPointer(start: file.bytes, count: file.size)),
          contentType: String(cString: file.type))
        response.headers = Self.headers
        return (path, response)
      })
  }

  /// Returns the answer to a request for a file, or nil if there is no such file. `refusal` is the
  /// reason why the page is switched off, or nil.
  func answer(_ request: HTTPRequest, _ refusal: String?) -> HTTPResponse? {
    all[request.path].map { Self.refusal(request, refusal) ?? $0 }
  }

  /// Returns the refusal of a request for a file, or nil if the file may be read.
  static func refusal(_ request: HTTPRequest, _ refusal: String?) -> HTTPResponse? {
    guard ["GET", "HEAD"].contains(request.method) else {
      return HTTPResponse("use GET\n", status: .methodNotAllowed, allowed: ["GET", "HEAD"])
    }
    return refusal.map { HTTPResponse("\($0)\n", status: .forbidden) }
  }
}
