/// The statuses that this server uses.
public enum HTTPStatus: Int, Sendable {
  case switchingProtocols = 101
  case ok = 200
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case conflict = 409
  case lengthRequired = 411
  case contentTooLarge = 413
  case unsupportedMediaType = 415
  case expectationFailed = 417
  case upgradeRequired = 426
  case tooManyRequests = 429
  case headTooLarge = 431
  case clientClosedRequest = 499
  case internalError = 500
  case notImplemented = 501
  case badGateway = 502
  case serviceUnavailable = 503
  case gatewayTimeout = 504
  case versionNotSupported = 505

  var phrase: String {
    switch self {
    case .switchingProtocols: "Switching Protocols"
    case .ok: "OK"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .contentTooLarge: "Content Too Large"
    case .unsupportedMediaType: "Unsupported Media Type"
    case .expectationFailed: "Expectation Failed"
    case .upgradeRequired: "Upgrade Required"
    case .tooManyRequests: "Too Many Requests"
    case .headTooLarge: "Request Header Fields Too Large"
    case .clientClosedRequest: "Client Closed Request"
    case .internalError: "Internal Server Error"
    case .notImplemented: "Not Implemented"
    case .badGateway: "Bad Gateway"
    case .serviceUnavailable: "Service Unavailable"
    case .gatewayTimeout: "Gateway Timeout"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}
