internal import GRPCTransport
internal import Operations

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
