import AnechoicAPI
import Foundation
import GRPCTransport
import ScriptedSessions
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

@testable import VoiceEdge

/// The voice that VOICE_ISOLATION keeps, which a person lets the agent learn.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct EnrollmentTests {
  private func run(
    _ change: (inout AgentRig.Setup) throws -> Void = { _ in },
    _ body: (AgentRig) async throws -> Void
  ) async throws {
    try await AgentRig.run { setup in
      setup.configuration.session.configuration.preferredMicMode = .voiceIsolation
      setup.configuration.session.voiceprint = .init(
        path: setup.folder.path("voice"), place: "the test")
      try change(&setup)
    } _: { rig in
      try await rig.running()
      try await body(rig)
    }
  }

  private func learn(_ rig: AgentRig) async throws -> Anechoic_V1_EdgeStatus.Voice {
    let response: Anechoic_V1_EnrollVoiceResponse = try await rig.ask(
      RPC.enrollVoice, Anechoic_V1_EnrollVoiceRequest())
    // The session may have refused it already.
    #expect([.enrolling, .none].contains(response.status.voice.enrollment))
    try await eventually("it has ended", within: .seconds(40)) {
      try await rig.edgeStatus().voice.enrollment != .enrolling
    }
    return try await rig.edgeStatus().voice
  }

  private func forget(_ rig: AgentRig) async throws -> Anechoic_V1_EdgeStatus.Voice {
    let response: Anechoic_V1_ForgetVoiceResponse = try await rig.ask(
      RPC.forgetVoice, Anechoic_V1_ForgetVoiceRequest())
    return response.status.voice
  }

  /// The voice that the server's session keeps.
  private func kept(_ rig: AgentRig) async throws -> Anechoic_V1_VoiceEnrollment {
    try await rig.remote.get(rig.status.session).voiceEnrollment
  }

  @Test func aVoiceIsLearntAndKeptByLaterSessionsUntilItIsForgotten() async throws {
    try await run { rig in
      let path = rig.folder.path("voice")
      #expect(try await rig.edgeStatus().voice == .with { $0.enrollment = .none })
      #expect(try await learn(rig) == .with { $0.enrollment = .enrolled })
      try await eventually("the file") { FileManager.default.fileExists(atPath: path) }
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let learnt = try #require(try VoiceprintFile.read(path))
      #expect(!learnt.encoder.isEmpty && learnt.values.count > 100)

      await rig.stopServer()
      try await eventually("away") { !rig.status.isConnected }
      #expect(try await rig.edgeStatus().voice.enrollment == .enrolled)
      try rig.startServer()
      try await eventually("another session") {
        rig.status.sessionCount >= 2 && rig.status.isConnected
      }
      #expect(try await kept(rig) == .enrolled)

      #expect(try await forget(rig) == .with { $0.enrollment = .none })
      #expect(!FileManager.default.fileExists(atPath: path))
      try await eventually("the session has forgotten it") { try await kept(rig) == .none }
      // Nothing is left to forget.
      #expect(try await forget(rig) == .with { $0.enrollment = .none })
    }
  }

  @Test func aVoiceOfAFileIsKeptFromTheFirstSessionOn() async throws {
    let voiceprint = Anechoic_V1_Voiceprint.with {
      $0.encoder = "another-9"
      $0.values = Data([0x00, 0x3c] + [UInt8](repeating: 0, count: 126))
    }
    try await run {
      try voiceprint.serializedData().write(to: URL(filePath: $0.folder.path("voice")))
      $0.configuration.voiceprint = try VoiceprintFile.read($0.folder.path("voice"))
    } _: { rig in
      // It is of another encoder, so that it cannot be used.
      let voice = try await rig.edgeStatus().voice
      #expect(voice.enrollment == .none && voice.problem.contains("another encoder"))
      // It is replaced by one that fits.
      #expect(try await learn(rig) == .with { $0.enrollment = .enrolled })
      try await eventually("the new file") {
        try VoiceprintFile.read(rig.folder.path("voice"))?.encoder != voiceprint.encoder
      }
    }
  }

  /// The server may have taken the right to keep a voice from the agent.
  @Test(arguments: [true, false])
  func aVoiceForWhichTheServerRefusesTheSessionIsLeftOut(isFirst: Bool) async throws {
    let folder = try Folder()
    let server = try ScriptedSessions("unix:\(folder.path("scripted"))")
    let refusal = Status(.permissionDenied, "start.voiceprint needs the scope \"enroll\"")
    if isFirst { server.script { $0.starts = [.refuse(refusal)] } }
    try await AgentRig.run { setup in
      setup.hasServer = false
      setup.configuration.server.address = server.address
      setup.configuration.voiceprint = .with { $0.encoder = "some-1" }
    } _: { rig in
      try await rig.connected()
      if !isFirst {
        server.script { $0.starts = [.refuse(refusal)] }
        server.end(.explained(.aborted, "SESSION_TERMINATED"))
        try await eventually("another session") { server.script { $0.started.count } > 2 }
      }
      let sent = server.script { $0.started.map(\.start.hasVoiceprint) }
      #expect(sent == (isFirst ? [] : [true]) + [true, false])
      try await eventually("it is told") {
        try await rig.edgeStatus().voice
          == .with {
            $0.enrollment = .none
            $0.problem = refusal.message
          }
      }
    }
    await server.stop()
  }

  @Test func anEngineThatLearnsNoVoiceIsNamed() async throws {
    try await run {
      $0.configuration.session.engine = "webrtc-audio-processing"
    } _: { rig in
      let voice = try await learn(rig)
      #expect(voice.enrollment == .none && voice.problem.contains("webrtc-audio-processing"))
      #expect(!FileManager.default.fileExists(atPath: rig.folder.path("voice")))
    }
  }

  @Test func aFileThatCannotBeWrittenIsAProblem() async throws {
    try await run {
      $0.configuration.session.voiceprint = .init(
        path: $0.folder.path("no/voice"), place: "the test")
    } _: { rig in
      #expect(try await learn(rig).enrollment == .enrolled)
      try await eventually("the problem") {
        try await rig.edgeStatus().voice.problem.contains("no/voice cannot be written")
      }
    }
  }

  @Test func withoutASessionNothingIsLearnt() async throws {
    try await run {
      $0.hasServer = false
    } _: { rig in
      let status = await code {
        let _: Anechoic_V1_EnrollVoiceResponse = try await rig.ask(
          RPC.enrollVoice, Anechoic_V1_EnrollVoiceRequest())
      }
      #expect(status == .failedPrecondition)
      let voice = try await forget(rig)
      #expect(voice.enrollment == .none)
    }
  }

  @Test func aChangeThatComesLateHasNoEffect() async throws {
    let folder = try Folder()
    let file = VoiceprintFile(folder.path("voice"))
    #expect(await file.keep(nil, change: 2) == nil)
    #expect(await file.keep(.with { $0.encoder = "a" }, change: 1) == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path("voice")))
  }

  @Test(arguments: ["", "text", String(repeating: "x", count: 5000)])
  func aFileThatIsNoVoiceprintIsRefused(text: String) throws {
    let folder = try Folder()
    try folder.write(text, "voice")
    #expect(throws: EdgeError.self) { try VoiceprintFile.read(folder.path("voice")) }
    #expect(throws: EdgeError.self) { try VoiceprintFile.read(folder.path("")) }
    #expect(try VoiceprintFile.read(folder.path("none")) == nil)
  }
}
