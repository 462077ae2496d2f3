internal import AnechoicAPI
internal import Foundation
public import GRPCTransport
internal import SwiftProtobuf

extension Status {
  /// The reason that an Anechoic server gives, such as `RESUME_TOKEN_UNKNOWN`. Nil if the status does
  /// not come from the server's own code.
  var reason: String? {
    detail(Google_Rpc_ErrorInfo.self).flatMap { $0.reason.isEmpty ? nil : $0.reason }
  }

  /// The time after which the server asks a client to try again, a minute at most. Nil if it asks for none.
  package var retryDelay: Duration? {
    detail(Google_Rpc_RetryInfo.self).map {
      min(max(Duration($0.retryDelay), .zero), .seconds(60))
    }
  }

  /// Whether a server has refused a start for one of its fields, such as `start.voiceprint`.
  package func refuses(_ field: String) -> Bool {
    [.invalidArgument, .permissionDenied].contains(code) && message.contains(field)
  }

  private func detail<Detail: Message>(_ type: Detail.Type) -> Detail? {
    guard !details.isEmpty, let rich = try? Google_Rpc_Status(serializedBytes: Data(details)) else {
      return nil
    }
    return rich.details.lazy.compactMap { try? Detail(unpackingAny: $0) }.first
  }

  /// Whether a call that ended with this status has lost its connection, and its session may go on.
  public var isLostConnection: Bool {
    // A server that is there explains the end of a call.
    guard details.isEmpty else { return false }
    switch code {
    // libgrpc reports a connection that was reset in the middle of a call as any of these.
    case .unavailable, .cancelled, .internal, .unknown, .deadlineExceeded: return true
    default: return false
    }
  }
}
