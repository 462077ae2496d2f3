public import AnechoicAPI
public import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import TestTime

/// A server whose sessions follow the script of a test. It returns each sample of the microphone with the
/// opposite sign, or silence while the session is muted. It resumes no session.
public final class ScriptedSessions: Sendable {
  private let state = Mutex(SessionScript())
  private let server = Mutex<Server?>(nil)

  /// `address` is `unix:PATH` or `127.0.0.1:0`.
  public init(_ address: String = "127.0.0.1:0") throws {
    let process = Method(service: RPC.voiceProcessing, name: RPC.process)
    let capabilities = Method(service: RPC.voiceProcessing, name: RPC.getCapabilities)
    let mute = Method(service: RPC.sessions, name: RPC.setMute)
    let new = try Server(
      options: Server.Options(addresses: [address]),
      methods: [
        ServerMethod(process) { [self] call in ScriptedSession(call, self) },
        .unary(capabilities) { _, _ in
          try Anechoic_V1_GetCapabilitiesResponse.with { $0.version = anechoicVersion }
            .serializedBytes()
        },
        .unary(mute) { [self] _, _ in
          switch script({ $0.answerToCall() }) {
          case .refuse(let status): throw status
          case .accept: return []
          case .ignore:
            try await untilCancelled()
            return []
          }
        },
      ])
    server.withLock { $0 = new }
  }

  public var address: String { server.withLock { $0?.addresses.first ?? "" } }

  /// Reads or changes the script.
  @discardableResult
  public func script<Result>(_ body: (inout sending SessionScript) -> sending Result)
    -> sending Result
  {
    state.withLock(body)
  }

  /// Changes the mute state, as another client does.
  public func mute(_ muted: Bool) {
    send(.with { $0.muteChanged.state.muted = muted })
  }

  /// Sends an event to the session that runs, with its next output.
  public func send(_ event: Anechoic_V1_SessionEvent) {
    script { $0.outbox.append(.event(event)) }
  }

  /// Tells the echo path of the session that runs, with its next output.
  public func tell(_ path: Anechoic_V1_EchoPath) {
    script { $0.outbox.append(.echoPath(path)) }
  }

  /// Ends the session that runs.
  public func end(_ status: Status) { script { $0.outbox.append(.end(status)) } }

  public func stop() async {
    await server.withLock { server in
      defer { server = nil }
      return server
    }?.shutdown(grace: .zero)
  }
}

extension Status {
  /// A status as the server makes it: with a reason, and the time after which to try again.
  public static func explained(
    _ code: StatusCode, _ reason: String, retryAfter seconds: Double? = nil
  ) -> Status {
    let info = Google_Rpc_ErrorInfo.with { $0.reason = reason }
    let retry = seconds.map { seconds in
      Google_Rpc_RetryInfo.with {
        $0.retryDelay = Google_Protobuf_Duration(rounding: .seconds(seconds))
      }
    }
    let rich = Google_Rpc_Status.with {
      $0.details = ([info, retry] as [(any Message)?]).compactMap { detail in
        detail.flatMap { try? Google_Protobuf_Any(message: $0) }
      }
    }
    return Status(code, reason, details: (try? rich.serializedBytes()) ?? [])
  }

  /// The refusal of a change, because there were too many.
  public static var tooManyControls: Status { explained(.resourceExhausted, "TOO_MANY_CONTROLS") }
}
