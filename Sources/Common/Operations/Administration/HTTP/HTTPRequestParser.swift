/// A request of an operator.
public struct HTTPRequest: Sendable, Equatable {
  public var method: String
  /// The path without the query: `/metrics`.
  public var path: String
  /// The query without its question mark.
  public var query: String
  /// The headers with lower-case names.
  public var headers: [String: String]
  public var body: [UInt8]
  /// The address of the client, as gRPC writes it: `ipv4:127.0.0.1:40112`.
  public var peer: String
  /// Whether the request came over TLS.
  public var isEncrypted = false

  public init(
    method: String, path: String, query: String = "", headers: [String: String] = [:],
    body: [UInt8] = [], peer: String = ""
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.peer = peer
  }
}

/// Reads one request from the bytes of a connection. A pure state machine: it does no I/O.
///
/// The parser accepts the requests with a body of a known length that RFC 9112 requires a server to
/// accept. It refuses everything else, chunked bodies too, and keeps at most `longestHead` and `longestBody` bytes.
public struct HTTPRequestParser: Sendable {
  /// The maximum size in bytes of the request line and the headers.
  public static let longestHead = 16 << 10
  public static let mostHeaders = 64
  public static let longestBody = 32 << 10

  /// The result of the bytes so far.
  public enum Step: Sendable, Equatable {
    case needsMore
    /// The client sends the body of its request when it has got the answer 100.
    case awaitsContinue
    case request(HTTPRequest)
    case refusal(HTTPStatus)
  }

  private struct RequestError: Error {
    let status: HTTPStatus
  }

  private var refusal: HTTPStatus?
  private var buffer: [UInt8] = []
  /// The request without its body, and the length of the body, once the head is complete.
  private var head: (request: HTTPRequest, bodyCount: Int)?
  private static let endOfLine: [UInt8] = [13, 10]

  public init() {}

  /// Takes the next bytes of the connection. Bytes after the request are left in `rest`. All bytes
  /// after a refusal are ignored.
  public mutating func accept(_ bytes: some Collection<UInt8>) -> Step {
    if let refusal { return .refusal(refusal) }
    do {
      return try step(bytes)
    } catch {
      refusal = error.status
      buffer = []
      return .refusal(error.status)
    }
  }

  /// The bytes that followed the request, once it is complete.
  var rest: [UInt8] { Array(buffer.dropFirst(head?.bodyCount ?? 0)) }

  private mutating func step(_ bytes: some Collection<UInt8>) throws(RequestError) -> Step {
    let room = Self.longestHead + Self.longestBody - buffer.count
    // The last three bytes may be the beginning of the head's end.
    let searched = max(0, buffer.count - 3)
    buffer += bytes.prefix(room)
    if head == nil {
      // Some old clients send an empty line after the body of the request before.
      var empty = 0
      while buffer[empty...].starts(with: Self.endOfLine) { empty += Self.endOfLine.count }
      buffer.removeFirst(empty)
      guard let end = endOfHead(from: searched) else {
        guard buffer.count <= Self.longestHead else { throw RequestError(status: .headTooLarge) }
        return .needsMore
      }
      guard end <= Self.longestHead else { throw RequestError(status: .headTooLarge) }
      let request = try Self.request(buffer[..<(end - 4)])
      let bodyCount = try Self.bodyCount(request.headers)
      head = (request, bodyCount)
      buffer.removeFirst(end)
      if request.headers["expect"] != nil, buffer.isEmpty, bodyCount > 0 { return .awaitsContinue }
    }
    guard let head, buffer.count >= head.bodyCount else { return .needsMore }
    var request = head.request
    request.body = Array(buffer.prefix(head.bodyCount))
    return .request(request)
  }

  /// Returns the index after the empty line that ends the head.
  private func endOfHead(from start: Int) -> Int? {
    let end = Self.endOfLine + Self.endOfLine
    guard buffer.count >= start + end.count else { return nil }
    return (start...(buffer.count - end.count)).first { buffer[$0...].starts(with: end) }
      .map { $0 + end.count }
  }

  private static func request(_ head: ArraySlice<UInt8>) throws(RequestError) -> HTTPRequest {
    guard head.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 9 || $0 == 13 || $0 == 10 }) else {
      throw RequestError(status: .badRequest)
    }
    // In Swift, the pair of the two characters that ends a line is one character.
    let lines = String(decoding: head, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0) }
    guard !lines.contains(where: { $0.contains { $0.isNewline } }) else {
      throw RequestError(status: .badRequest)
    }
    var (request, authority) = try requestLine(lines[0])
    guard lines.count - 1 <= mostHeaders else { throw RequestError(status: .headTooLarge) }
    for line in lines.dropFirst() {
      let (name, value) = try header(line)
      guard request.headers[name] == nil || !isSingle(name) else {
        throw RequestError(status: .badRequest)
      }
      request.headers[name] = request.headers[name].map { "\($0), \(value)" } ?? value
    }
    let isOld = lines[0].hasSuffix("HTTP/1.0")
    guard isOld || request.headers["host"] != nil else {
      throw RequestError(status: .badRequest)
    }
    if let authority { request.headers["host"] = authority }
    // HTTP/1.0 has no answer 100.
    if isOld { request.headers["expect"] = nil }
    return request
  }

  /// Returns whether a second header of this name could make two programs read different requests.
  private static func isSingle(_ name: String) -> Bool {
    [
      "host", "content-length", "transfer-encoding", "origin", "expect", "authorization",
      "anechoic-client",
    ].contains(name)
  }

  /// Returns a request without headers, and the host of a target that is a whole URL. Such a host takes
  /// precedence over the header.
  private static func requestLine(
    _ line: String
  ) throws(RequestError) -> (request: HTTPRequest, authority: String?) {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenCharacter),
      let (authority, target) = Self.target(parts[1]), !target.contains("\t")
    else { throw RequestError(status: .badRequest) }
    guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else {
      throw RequestError(status: parts[2].hasPrefix("HTTP/") ? .versionNotSupported : .badRequest)
    }
    let path = target.prefix { $0 != "?" }
    let query = target.dropFirst(path.count + 1)
    let request = HTTPRequest(
      method: String(parts[0]), path: path.isEmpty ? "/" : String(path), query: String(query))
    return (request, authority)
  }

  /// Returns the path with the query, and the host of a whole URL. Returns nil for any other text.
  private static func target(_ text: Substring) -> (authority: String?, target: Substring)? {
    guard !text.hasPrefix("/") else { return (nil, text) }
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else { return nil }
    let authority = parts[1].prefix { $0 != "/" && $0 != "?" }
    guard !authority.isEmpty, !authority.contains("@") else { return nil }
    return (String(authority), parts[1].dropFirst(authority.count))
  }

  private static func header(_ line: String) throws(RequestError) -> (name: String, value: String) {
    guard let header = field(line) else { throw RequestError(status: .badRequest) }
    return header
  }

  /// Returns the name, in lower case, and the value of a header, or nil if the line is none.
  static func field(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let name = line[..<colon]
    guard !name.isEmpty, name.allSatisfy(isTokenCharacter) else { return nil }
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let value = line[line.index(after: colon)...].drop(while: isBlank)
    let end = value.lastIndex { !isBlank($0) }.map { value.index(after: $0) } ?? value.startIndex
    return (name.lowercased(), String(value[..<end]))
  }

  static func isTokenCharacter(_ character: Character) -> Bool {
    character.isASCII
      && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
  }

  private static func bodyCount(_ headers: [String: String]) throws(RequestError) -> Int {
    if let coding = headers["transfer-encoding"] {
      let isChunked = coding.lowercased() == "chunked"
      throw RequestError(status: isChunked ? .lengthRequired : .notImplemented)
    }
    guard headers["expect"].map({ $0.lowercased() == "100-continue" }) ?? true else {
      throw RequestError(status: .expectationFailed)
    }
    guard let length = headers["content-length"] else { return 0 }
    guard !length.isEmpty, length.allSatisfy({ "0123456789".contains($0) }) else {
      throw RequestError(status: .badRequest)
    }
    guard let count = Int(length), count <= longestBody else {
      throw RequestError(status: .contentTooLarge)
    }
    return count
  }
}
