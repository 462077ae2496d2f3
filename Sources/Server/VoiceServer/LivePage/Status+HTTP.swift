internal import Foundation
public import GRPCTransport
internal import Operations

extension Status {
  /// The status as a JSON object: `{"code":"NOT_FOUND","message":"…","reason":"NO_SESSION"}`. With RetryInfo,
  /// also `"retryDelay":"1.5s"`.
  public var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let fields = [
      "code": code.name, "message": message, "reason": reason, "retryDelay": retryDelay,
    ]
    return (try? encoder.encode(fields.filter { !$0.value.isEmpty })).map { Array($0) } ?? []
  }
}

extension HTTPStatus {
  /// The status of HTTP for a code of gRPC, as google/rpc/code.proto maps them.
  init(_ code: StatusCode) {
    self =
      switch code {
      case .ok: .ok
      case .cancelled: .clientClosedRequest
      case .invalidArgument, .failedPrecondition, .outOfRange: .badRequest
      case .unauthenticated: .unauthorized
      case .permissionDenied: .forbidden
      case .notFound: .notFound
      case .alreadyExists, .aborted: .conflict
      case .resourceExhausted: .tooManyRequests
      case .unimplemented: .notImplemented
      case .unavailable: .serviceUnavailable
      case .deadlineExceeded: .gatewayTimeout
      case .unknown, .internal, .dataLoss: .internalError
      }
  }
}
