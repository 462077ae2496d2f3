internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SwiftProtobuf

/// The form of the messages of a call.
enum MessageEncoding: Sendable {
  /// As gRPC sends them.
  case binary
  /// As protobuf defines it, for browsers.
  case json

  /// Throws MALFORMED_REQUEST if the bytes are not the message, and INVALID_FIELD for a field of JSON that is
  /// found to be wrong.
  func decoded<Content: Message>(_ bytes: [UInt8]) throws(Status) -> Content {
    do {
      switch self {
      case .binary: return try Content(serializedBytes: bytes, options: .request)
      case .json: return try Content(jsonUTF8Bytes: bytes)
      }
    } catch {
      throw self == .json
        ? .notA(Content.self, json: bytes) : .notA(Content.protoMessageName)
    }
  }

  func encoded(_ message: some Message) throws -> [UInt8] {
    switch self {
    case .binary: try message.serializedBytes()
    case .json: try message.jsonUTF8Bytes()
    }
  }
}

/// A method, usually of the session service, that takes one message and answers with one.
struct UnaryMethod: Sendable {
  typealias Body<Request, Response> =
    @Sendable (_ request: Request, _ client: Principal, _ cause: ServerLog.Cause) async throws ->
    Response

  let method: GRPCTransport.Method
  /// Answers a request of an admitted client. Throws the `Status` that ends the call.
  let answer:
    @Sendable (
      _ request: [UInt8], _ encoding: MessageEncoding, _ client: Principal,
      _ cause: ServerLog.Cause
    ) async throws -> [UInt8]

  init<Request: Message, Response: Message>(
    _ name: String, of service: String = RPC.sessions, _ body: @escaping Body<Request, Response>
  ) {
    method = Method(service: service, name: name)
    answer = { bytes, encoding, client, cause in
      let request: Request = try encoding.decoded(bytes)
      return try encoding.encoded(try await body(request, client, cause))
    }
  }

  /// The method for clients that use gRPC.
  var overGRPC: ServerMethod {
    .unary(method, lane: .background) { bytes, context in
      try await answer(bytes, .binary, Principal(context), ServerLog.Cause(context))
    }
  }
}
