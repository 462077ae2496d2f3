internal import AnechoicAPI
internal import GRPCTransport
internal import Operations
internal import SwiftProtobuf

/// A call of `Process` over a WebSocket. Conversions run on the call's thread.
///
/// A binary message is audio, in the form of `BinaryAudio`. A text is a `ProcessRequest` or a
/// `ProcessResponse` as JSON, the end of the requests, or the status of the call.
struct SocketCall: ServerCallTransport, Sendable {
  let socket: WebSocket
  let metadata: Metadata
  /// The client's address, as gRPC writes it.
  let peer: String

  // A WebSocket shows no certificate and sets no deadline.
  var peerProperties: [PeerProperty] { [] }
  var timeLeft: Duration? { nil }

  func read() -> Bool {
    socket.read()
    return true
  }

  func write(_ message: UnsafeRawBufferPointer) -> Bool {
    socket.send(SocketResponse.message(message))
    return true
  }

  func finish(_ status: Status, _ trailers: Metadata) -> Bool {
    socket.send(SocketResponse.message(status))
    socket.close(WebSocketClosing(status))
    return true
  }

  func abort(_ status: Status) { socket.abort(WebSocketClosing(status)) }

  // The answer to the handshake has the headers already.
  func addInitialMetadata(_ metadata: Metadata) {}

  /// Passes on a report of the socket.
  static func accept(_ report: WebSocket.Report, _ call: ForeignCall.Reports) {
    switch report {
    case .message(let message):
      do {
        switch try SocketRequest(message) {
        case .message(let bytes): bytes.withUnsafeBytes { call.received($0) }
        case .end: call.halfClosed()
        }
      } catch {
        call.fail(error)
      }
    case .closedByClient: call.halfClosed()
    case .sent: call.writeCompleted()
    case .closed: call.ended()
    case .lost: call.lost()
    }
  }
}

/// A message of a client, as gRPC would deliver it.
enum SocketRequest {
  /// A serialized `ProcessRequest`.
  case message([UInt8])
  /// The end of the requests.
  case end

  /// The largest text in bytes. A text costs more time than a binary message of the same size.
  static let largestText = 64 << 10
  private static let endText = Array(#"{"end":{}}"#.utf8)

  /// Throws the status that ends the call of a client whose message has no valid form.
  init(_ message: WebSocketMessage) throws(Status) {
    switch message.kind {
    case .binary:
      do {
        self = .message(try message.bytes.withUnsafeBytes(BinaryAudio.request))
      } catch let fault as BinaryAudio.FormatError {
        throw Status(InvalidFieldError("parts[\(fault.part)]", fault.problem))
      } catch {
        throw .notA(Anechoic_V1_ProcessRequest.protoMessageName)
      }
    case .text: try self.init(text: message.bytes)
    }
  }

  private init(text: [UInt8]) throws(Status) {
    guard text.count <= Self.largestText else { throw .textTooLarge(text.count, Self.largestText) }
    guard text.filter({ !Self.isSpace($0) }) != Self.endText else {
      self = .end
      return
    }
    do {
      let request = try Anechoic_V1_ProcessRequest(jsonUTF8Bytes: text)
      self = .message(try request.serializedBytes())
    } catch {
      if text.count <= JSONError.longestExplained,
        let bytes: [UInt8] = try? Anechoic_V1_ProcessRequest(foreignMask: text)?.serializedBytes()
      {
        self = .message(bytes)
        return
      }
      throw .notA(Anechoic_V1_ProcessRequest.self, json: text)
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
