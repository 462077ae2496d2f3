internal import CLivePage
internal import Operations

/// The files of the page, by their paths.
enum PageFiles {
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

  static let all: [String: HTTPResponse] = Dictionary(
    uniqueKeysWithValues: UnsafeBufferPointer(start: clp_files(), count: clp_files_count()).map {
      file in
      var response = HTTPResponse(
        Array(UnsafeBufferPointer(start: file.bytes, count: file.size)),
        contentType: String(cString: file.type))
      response.headers = headers
      return (String(cString: file.path), response)
    })
}
