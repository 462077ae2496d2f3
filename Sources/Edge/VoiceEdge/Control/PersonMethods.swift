internal import AnechoicAPI
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf

/// The methods of EdgeService that carry the choices and the movements of the person at this
/// machine.
struct PersonMethods: Sendable {
  let agent: EdgeAgent

  var methods: [ServerMethod] {
    [
      .unary(method(RPC.setUpMicrophone)) { request, _ in
        let request: Anechoic_V1_SetUpMicrophoneRequest = try .decoded(request)
        let setup = MicrophoneSetup(
          pattern: try pattern(request), isTurned: request.turned)
        if let problem = await agent.voice.ask({ $0.setUpMicrophone(setup) }) {
          throw Status(.failedPrecondition, problem)
        }
        return try Anechoic_V1_SetUpMicrophoneResponse.with {
          $0.status = agent.describe(agent.board.status)
        }.serializedBytes()
      },
      .unary(method(RPC.enrollVoice)) { _, _ in
        if let problem = await agent.voice.ask({ $0.enrollVoice() }) {
          throw Status(.failedPrecondition, problem)
        }
        return try Anechoic_V1_EnrollVoiceResponse.with {
          $0.status = agent.describe(agent.board.status)
        }.serializedBytes()
      },
      .unary(method(RPC.forgetVoice)) { _, _ in
        let (file, change) = await agent.voice.ask { $0.forgetVoice() }
        if let problem = await file?.keep(nil, change: change) {
          throw Status(.internal, "session.voiceprint: \(problem)")
        }
        return try Anechoic_V1_ForgetVoiceResponse.with {
          $0.status = agent.describe(agent.board.status)
        }.serializedBytes()
      },
      .clientStreaming(method(RPC.turnHead)) { requests, _ in
        while let bytes = try await requests.next() {
          let request: Anechoic_V1_TurnHeadRequest = try .decoded(bytes)
          do throws(InvalidFieldError) { try request.pose.check(path: "pose") } catch {
            throw Status(.invalidArgument, error.description)
          }
          agent.voice.post { $0.server.link?.outbox.put(.pose(request.pose)) }
        }
        return try Anechoic_V1_TurnHeadResponse().serializedBytes()
      },
      .unary(method(RPC.decideInjection)) { request, _ in
        let request: Anechoic_V1_DecideInjectionRequest = try .decoded(request)
        guard ClientNameRule.allows(request.client) else {
          throw Status(.invalidArgument, "client: \(ClientNameRule.text)")
        }
        await agent.voice.ask { $0.answerInjection(request.client, request.grant) }
        return try Anechoic_V1_DecideInjectionResponse.with {
          $0.status = agent.describe(agent.board.status)
        }.serializedBytes()
      },
    ]
  }

  private func pattern(
    _ request: Anechoic_V1_SetUpMicrophoneRequest
  ) throws(Status) -> EdgeConfiguration.Port.Pattern {
    guard request.hasPattern else { return .none }
    switch request.pattern {
    case .cardioid: return .cardioid
    case .stereo: return .stereo
    case .unspecified, .UNRECOGNIZED:
      throw Status(.invalidArgument, "pattern: must be CARDIOID or STEREO, or absent")
    }
  }

  private func method(_ name: String) -> Method { Method(service: RPC.edge, name: name) }
}
