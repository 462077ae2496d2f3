internal import AnechoicAPI
internal import GRPCTransport
internal import Operations
internal import SwiftProtobuf

/// The messages of a call to its client.
enum SocketResponse {
  /// Returns a serialized `ProcessResponse` as a message: audio as binary, anything else as a text.
  static func message(_ response: UnsafeRawBufferPointer) -> WebSocketMessage {
    if let audio = BinaryAudio.message(ofResponse: response) {
      return WebSocketMessage(.binary, audio)
    }
    let text =
      try? Anechoic_V1_ProcessResponse(serializedBytes: Array(response))
      .jsonUTF8Bytes() as [UInt8]
    return WebSocketMessage(.text, text ?? [])
  }

  /// Returns the last message of a call: its status.
  static func message(_ status: Status) -> WebSocketMessage {
    WebSocketMessage(.text, Array(#"{"status":"#.utf8) + status.json + Array("}".utf8))
  }
}

extension WebSocketClosing {
  /// The first code of the application. The codes of gRPC are added to it.
  private static let firstCode: UInt16 = 4000

  /// The end that tells a status: 1000 for OK, and otherwise 4000 and the code of gRPC.
  init(_ status: Status) {
    guard status.code != .ok else {
      self = .normal
      return
    }
    self.init(Self.firstCode + UInt16(status.code.rawValue), status.message)
  }
}
