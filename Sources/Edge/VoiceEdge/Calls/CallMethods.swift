internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

/// The methods of EdgeService that begin and end a call.
struct CallMethods: Sendable {
  let agent: EdgeAgent

  var methods: [ServerMethod] {
    [
      unary(RPC.beginCall, Anechoic_V1_BeginCallRequest.self) { request in
        let holder = try name(request.holder)
        try check(await agent.voice.ask { $0.beginCall(holder) }, holder)
        return try Anechoic_V1_BeginCallResponse.with { $0.call = call }.serializedBytes()
      },
      unary(RPC.endCall, Anechoic_V1_EndCallRequest.self) { request in
        let holder = request.holder.isEmpty ? "" : try name(request.holder)
        try check(await agent.voice.ask { $0.endCall(holder) }, holder)
        return try Anechoic_V1_EndCallResponse.with { $0.call = call }.serializedBytes()
      },
      hold,
    ]
  }

  private var hold: ServerMethod {
    ServerMethod.serverStreaming(Method(service: RPC.edge, name: RPC.holdCall)) {
      bytes, _, responses in
      let request: Anechoic_V1_HoldCallRequest = try .decoded(bytes)
      let holder = try name(request.holder)
      try check(await agent.voice.ask { $0.holdCall(holder) }, holder)
      defer { agent.voice.post { $0.releaseCall(holder) } }
      var last: CallState?
      for await status in agent.board.watch() where status.call != last {
        last = status.call
        try await responses.send(
          Anechoic_V1_HoldCallResponse.with { $0.call = Anechoic_V1_EdgeCall(status.call) }
            .serializedBytes())
      }
    }
  }

  private var call: Anechoic_V1_EdgeCall { Anechoic_V1_EdgeCall(agent.board.status.call) }

  private func unary<Request: Message>(
    _ method: String, _: Request.Type,
    _ body: @escaping @Sendable (Request) async throws -> [UInt8]
  ) -> ServerMethod {
    ServerMethod.unary(Method(service: RPC.edge, name: method)) { bytes, _ in
      try await body(.decoded(bytes))
    }
  }

  /// Returns the name of a holder. Throws for one that is not allowed, and on an agent without calls.
  private func name(_ holder: String) throws(Status) -> String {
    guard agent.configuration.session.join == nil else {
      throw Status(.failedPrecondition, "this agent only plays another device's session")
    }
    guard ClientNameRule.allows(holder) else {
      throw Status(.invalidArgument, "holder: \(ClientNameRule.text)")
    }
    return holder
  }

  private func check(_ answer: EdgeVoice.CallAnswer, _ holder: String) throws(Status) {
    switch answer {
    case .done: return
    case .unknown: throw Status(.notFound, "holder: \"\(holder)\" has not begun a call")
    case .tooMany:
      throw Status(.resourceExhausted, "the call has \(CallHolders.most) holders already")
    }
  }
}

extension Anechoic_V1_EdgeCall {
  init(_ call: CallState) {
    self.init()
    active = call.isOn
    if let began = call.began { beginTime = Google_Protobuf_Timestamp(date: began) }
    func add(_ sign: CallSigns, _ kind: Anechoic_V1_CallSign.Kind, _ programs: [String] = [""]) {
      guard call.signs.contains(sign) else { return }
      for program in programs {
        signs.append(
          .with {
            $0.kind = kind
            $0.program = program
          })
      }
    }
    add(.configuration, .configuration)
    add(.unseen, .unseen)
    add(.request, .request, call.holders)
    add(.voiceRead, .voiceRead)
    add(.recording, .recording, call.recorders)
    add(.farEnd, .farEnd)
  }
}
