internal import Foundation
internal import LinuxSystem

/// The opening handshake of a WebSocket (RFC 6455, section 4.2). A pure rule: it does no I/O.
public struct WebSocketHandshake: Sendable {
  /// The result of a request.
  public enum Result: Sendable {
    case accepted(WebSocketHandshake)
    case refused(HTTPResponse)
  }

  static let version = "13"
  /// The constant of RFC 6455 that proves that the server knows the protocol.
  private static let proof = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The subprotocols that the client offers, in its order.
  public let offered: [String]
  private let key: String

  /// Checks the headers of a request. No extension is ever agreed, so that no message is compressed.
  public static func check(_ request: HTTPRequest) -> Result {
    guard request.method == "GET" else {
      return .refused(HTTPResponse("use GET\n", status: .methodNotAllowed, allowed: ["GET"]))
    }
    let (headers, words) = (request.headers, Self.words)
    guard words(headers["upgrade"]).contains(where: { $0.lowercased() == "websocket" }),
      words(headers["connection"]).contains(where: { $0.lowercased() == "upgrade" })
    else { return .refused(upgradeRequired("this path is a WebSocket")) }
    guard headers["sec-websocket-version"] == version else {
      return .refused(upgradeRequired("use version \(version) of WebSocket"))
    }
    guard let key = headers["sec-websocket-key"], Data(base64Encoded: key)?.count == 16 else {
      return .refused(
        HTTPResponse("Sec-WebSocket-Key must be 16 bytes in base64\n", status: .badRequest))
    }
    return .accepted(
      WebSocketHandshake(offered: words(headers["sec-websocket-protocol"]), key: key))
  }

  /// Returns the headers of the answer 101. `choice` is one of `offered`, or nil.
  public func headers(choosing choice: String?) -> [String: String] {
    var headers = [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Accept": Self.accept(of: key),
    ]
    if let choice { headers["Sec-WebSocket-Protocol"] = choice }
    return headers
  }

  /// Returns the proof that a server has read the key of a client.
  static func accept(of key: String) -> String {
    Data(SHA1.digest(of: Array((key + proof).utf8))).base64EncodedString()
  }

  private static func upgradeRequired(_ problem: String) -> HTTPResponse {
    var response = HTTPResponse("\(problem)\n", status: .upgradeRequired)
    response.headers = ["Upgrade": "websocket", "Sec-WebSocket-Version": version]
    return response
  }

  static func words(_ header: String?) -> [String] {
    (header ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}
