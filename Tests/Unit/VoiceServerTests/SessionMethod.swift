import AnechoicAPI
import SwiftProtobuf
import Testing

/// A method of the session service that acts on one session.
struct SessionMethod: Sendable, CustomTestStringConvertible {
  let name: String
  /// The path of the session's name in the request.
  let field: String
  /// Returns a valid request for a session with this name.
  let request: @Sendable (_ session: String) throws -> [UInt8]

  var testDescription: String { name }

  static let all: [SessionMethod] = [
    SessionMethod(name: RPC.getSession, field: "name") { session in
      try Anechoic_V1_GetSessionRequest.with { $0.name = session }.serializedBytes()
    },
    SessionMethod(name: RPC.updateSession, field: "session.name") { session in
      try Anechoic_V1_UpdateSessionRequest.with {
        $0.session.name = session
        $0.updateMask.paths = ["labels"]
      }.serializedBytes()
    },
    SessionMethod(name: RPC.deleteSession, field: "name") { session in
      try Anechoic_V1_DeleteSessionRequest.with { $0.name = session }.serializedBytes()
    },
    SessionMethod(name: RPC.setMute, field: "name") { session in
      try Anechoic_V1_SetMuteRequest.with { $0.name = session }.serializedBytes()
    },
    SessionMethod(name: RPC.reportMuteGesture, field: "name") { session in
      try Anechoic_V1_ReportMuteGestureRequest.with {
        $0.name = session
        $0.gestureID = "press"
      }.serializedBytes()
    },
    SessionMethod(name: RPC.watchSession, field: "name") { session in
      try Anechoic_V1_WatchSessionRequest.with { $0.name = session }.serializedBytes()
    },
    SessionMethod(name: RPC.requestInjectionPermission, field: "name") { session in
      try Anechoic_V1_RequestInjectionPermissionRequest.with {
        $0.name = session
        $0.usageDescription = "Doorbell"
      }.serializedBytes()
    },
    SessionMethod(name: RPC.injectSpeech, field: "start.name") { session in
      try Anechoic_V1_InjectSpeechRequest.with { $0.start.name = session }.serializedBytes()
    },
  ]
}
