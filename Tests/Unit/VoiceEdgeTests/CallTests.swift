import AnechoicAPI
import BundledEngines
import EdgeAudio
import Foundation
import GRPCTransport
import ScriptedDevices
import SwiftProtobuf
import Synchronization
import TestAudio
import Testing
import TestTime
import VoiceClient
import VoiceServer

@testable import VoiceEdge

/// An agent that has a session, open devices and an effect on other programs only during a call.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CallTests {
  private func run(
    _ change: (inout AgentRig.Setup) throws -> Void = { _ in },
    _ body: (AgentRig) async throws -> Void
  ) async throws {
    try await AgentRig.run { setup in
      setup.configuration.calls.begin = .automatic
      setup.configuration.programs.voice = .fifo(path: setup.folder.path("voice"))
      try setup.folder.write("", "lamp")
      setup.configuration.microphone.lamps = [setup.folder.path("lamp")]
      try change(&setup)
    } _: { rig in
      try await body(rig)
    }
  }

  /// Waits until everything is as it is between calls.
  private func rests(
    _ rig: AgentRig, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually("rests", sourceLocation: sourceLocation) {
      let status = try await rig.edgeStatus()
      return !status.call.active && !status.connected && status.microphoneUse == .closedWithoutCall
        && !status.recording && !rig.microphone.isOpen && !rig.loudspeaker.isOpen
        && rig.folder.text("lamp") == "0\n"
    }
    try await eventually("no session on the server", sourceLocation: sourceLocation) {
      try await rig.remote.list().isEmpty
    }
  }

  /// Waits until everything is as it is during a call. Returns its signs.
  @discardableResult
  private func runs(
    _ rig: AgentRig, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [Anechoic_V1_CallSign.Kind] {
    var status = Anechoic_V1_EdgeStatus()
    try await eventually("a call runs", sourceLocation: sourceLocation) {
      status = try await rig.edgeStatus()
      return status.call.active && status.connected && status.microphoneUse == .session
        && status.recording && rig.microphone.isOpen && rig.loudspeaker.isOpen
        && rig.folder.text("lamp") == "1\n"
    }
    #expect(status.call.hasBeginTime)
    return status.call.signs.map(\.kind)
  }

  private func begin(_ rig: AgentRig, _ holder: String) async throws -> Anechoic_V1_EdgeCall {
    let response: Anechoic_V1_BeginCallResponse = try await rig.ask(
      RPC.beginCall, Anechoic_V1_BeginCallRequest.with { $0.holder = holder })
    return response.call
  }

  private func end(_ rig: AgentRig, _ holder: String = "") async throws -> Anechoic_V1_EdgeCall {
    let response: Anechoic_V1_EndCallResponse = try await rig.ask(
      RPC.endCall, Anechoic_V1_EndCallRequest.with { $0.holder = holder })
    return response.call
  }

  @Test func aProgramThatReadsTheVoiceHasACall() async throws {
    try await run { rig in
      try await rests(rig)
      #expect(rig.microphone.openCount == 0)
      try await eventually("the reason") {
        try await rig.edgeStatus().problem == "there is no call"
      }
      for number in 1...2 {
        let tap = FIFOTap(rig.folder.path("voice"))
        #expect(try await runs(rig) == [.voiceRead])
        try await eventually("the voice is heard") { tap.samples.contains { abs($0) > 0.01 } }
        #expect(rig.status.sessionCount == number)
        tap.stop()
        try await rests(rig)
      }
      #expect(rig.log.contain("call: begins, because a program reads the voice"))
      #expect(rig.log.all.count { $0 == "call: is over" } == 2)
      // The end of a call is no interruption.
      #expect(!rig.log.contain("was away"))
    }
  }

  @Test func theFarEndBeginsACallAndIsHeardFromItsFirstSample() async throws {
    let voice = try await Voices.far.value
    try await run { setup in
      setup.configuration.programs.farEnd = .fifo(path: setup.folder.path("far"))
    } _: { rig in
      try await rests(rig)
      let feed = FIFOFeed(rig.folder.path("far"), Array(voice[16_000..<48_000]))
      defer { feed.stop() }
      #expect(try await runs(rig) == [.farEnd])
      // The loudspeaker plays first what the program wrote first, after at most 100 ms.
      try await eventually("it is played") {
        rig.loudspeaker.played.contains { abs($0) > 0.01 }
      }
    }
  }

  @Test func aFarEndThatSoundsOnAfterTheCallIsReadAndMayBeginAnotherOne() async throws {
    let voice = try await Voices.far.value
    try await run { setup in
      setup.configuration.programs.farEnd = .fifo(path: setup.folder.path("far"))
    } _: { rig in
      rig.agent.voice.post { $0.sounds = ProgramSounds(farEndSilence: .seconds(1)) }
      _ = try await begin(rig, "softphone")
      let feed = FIFOFeed(rig.folder.path("far"), Array(voice[16_000..<48_000]))
      try await eventually("it sounds") {
        try await rig.edgeStatus().call.signs.contains { $0.kind == .farEnd }
      }
      _ = try await end(rig)
      try await rests(rig)
      // The program is not held up.
      let count = feed.count
      try await eventually("it is read") { feed.count > count + 16_000 }
      #expect(!rig.status.call.isOn)
      feed.stop()
      // After the silence that the agent has noticed, it begins a call again.
      try await eventually("it is over") { await mayBegin(rig) }
      let next = FIFOFeed(rig.folder.path("far"), Array(voice[16_000..<48_000]))
      defer { next.stop() }
      #expect(try await runs(rig) == [.farEnd])
    }
  }

  /// Whether sound of the far end begins a call.
  private func mayBegin(_ rig: AgentRig) async -> Bool {
    await withCheckedContinuation { continuation in
      rig.agent.voice.post { continuation.resume(returning: $0.calls.rule.hearsFarEnd) }
    }
  }

  @Test func anAgentThatStopsEndsItsSession() async throws {
    let folder = try Folder()
    let server = try VoiceProcessingServer(
      ServerConfiguration(
        addresses: ["unix:\(folder.path("other"))"], threads: 1, engines: .bundled))
    let sessions = SessionsClient(server: "unix:\(folder.path("other"))", clientName: "paul")
    try await run { setup in
      setup.hasServer = false
      setup.configuration.server.address = "unix:\(folder.path("other"))"
    } _: { rig in
      _ = try await begin(rig, "softphone")
      try await eventually("a session") { try await sessions.list().count == 1 }
    }
    #expect(try await sessions.list().isEmpty)
    await server.stop(grace: .zero)
  }

  @Test func aRequestBeginsACallAndEndsIt() async throws {
    try await run { setup in
      setup.configuration.calls.begin = .request
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      try await rests(rig)
      let call = try await begin(rig, "softphone")
      #expect(call.active)
      #expect(call.signs.map(\.kind) == [.request] && call.signs.map(\.program) == ["softphone"])
      _ = try await begin(rig, "softphone")
      #expect(try await begin(rig, "browser").signs.map(\.program) == ["browser", "softphone"])
      try await runs(rig)
      #expect(try await end(rig, "softphone").active)
      await #expect(throws: Status.self) { try await end(rig, "softphone") }
      #expect(try await !end(rig, "browser").active)
      try await rests(rig)
      #expect(try await !end(rig).active)
    }
  }

  @Test func aProgramThatDiesEndsItsCall() async throws {
    try await run { rig in
      let channel = Channel(target: "unix:\(rig.folder.path("agent"))")
      let stream = try await channel.serverStreaming(
        Method(service: RPC.edge, name: RPC.holdCall),
        Anechoic_V1_HoldCallRequest.with { $0.holder = "robot" }.serializedBytes())
      let bytes = try #require(try await stream.receive())
      let first = try Anechoic_V1_HoldCallResponse(serializedBytes: bytes).call
      #expect(first.active && first.signs.map(\.program) == ["robot"])
      try await runs(rig)
      stream.cancel()
      try await rests(rig)
    }
  }

  @Test func wrongRequestsAreRefused() async throws {
    try await run { rig in
      for holder in ["", " x", "\u{7}", String(repeating: "a", count: 101)] {
        do {
          _ = try await begin(rig, holder)
          Issue.record("\(holder) was accepted")
        } catch let status as Status {
          #expect(status.code == .invalidArgument && status.message.hasPrefix("holder: "))
        }
      }
      for number in 0..<CallHolders.most { _ = try await begin(rig, "program \(number)") }
      do {
        _ = try await begin(rig, "another")
        Issue.record("too many were accepted")
      } catch let status as Status {
        #expect(status.code == .resourceExhausted)
      }
      #expect(try await !end(rig).active)
    }
  }

  @Test func aRecordingProgramOnTheDesktopHasACall() async throws {
    let desktop = ScriptedStreams()
    try await run { setup in
      setup.desktop = desktop
      setup.configuration.programs.desktop = .automatic
      setup.configuration.programs.desktopMemory = setup.folder.path("state/streams.json")
      setup.configuration.calls.applications = ["firefox"]
    } _: { rig in
      let voice = RecordingProgram(application: "Firefox", process: 1)
      desktop.state.withLock { $0.recorders = [RecordingProgram(application: "Meter", process: 2)] }
      try await rests(rig)
      desktop.state.withLock { $0.recorders = [voice] }
      #expect(try await runs(rig) == [.recording])
      #expect(try await rig.edgeStatus().call.signs.map(\.program) == ["Firefox"])
      // A sound server that goes away takes the sign with it.
      desktop.state.withLock { $0.isAway = true }
      try await rests(rig)
      desktop.state.withLock { $0.isAway = false }
      try await runs(rig)
    }
  }

  @Test func otherProgramsAreSofterOnlyDuringACall() async throws {
    let desktop = ScriptedStreams()
    let music: [UInt32] = [65536, 65536]
    desktop.state.withLock {
      $0.streams = [
        ProgramStream(index: 1, identity: "music", role: "music", process: 1, volume: music)
      ]
    }
    try await run { setup in
      setup.desktop = desktop
      setup.configuration.programs.desktop = .automatic
      setup.configuration.programs.desktopMemory = setup.folder.path("state/streams.json")
      setup.configuration.session.configuration.otherAudioDucking.level = .mid
    } _: { rig in
      try await rests(rig)
      #expect(desktop.volume(1) == music)
      _ = try await begin(rig, "softphone")
      try await eventually("softer") { desktop.volume(1) == LoweredStreams.volume(music, -18) }
      _ = try await end(rig)
      try await eventually("as before") { desktop.volume(1) == music }
    }
  }

  @Test func musicOfTheAgentPlaysBetweenCalls() async throws {
    let voice = try await Voices.far.value
    try await run { setup in
      setup.configuration.programs.otherAudio = .fifo(path: setup.folder.path("music"))
      setup.configuration.programs.otherAudioChannels = 1
    } _: { rig in
      try await rests(rig)
      let feed = FIFOFeed(rig.folder.path("music"), Array(voice[16_000..<48_000]))
      try await eventually("it is played") {
        rig.loudspeaker.played.contains { abs($0) > 0.01 }
      }
      #expect(!rig.microphone.isOpen)
      #expect(try await !rig.edgeStatus().call.active)
      feed.stop()
      try await rests(rig)
    }
  }

  @Test func betweenCallsNobodyHearsTheMicrophone() async throws {
    let voice = try await Voices.far.value
    try await run { setup in
      setup.configuration.calls.begin = .request
      setup.configuration.microphone.open = .always
      setup.configuration.programs.otherAudio = .fifo(path: setup.folder.path("music"))
      setup.configuration.programs.otherAudioChannels = 1
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      defer { tap.stop() }
      let feed = FIFOFeed(rig.folder.path("music"), Array(voice[16_000..<48_000]))
      defer { feed.stop() }
      try await eventually("music is played") {
        rig.loudspeaker.played.contains { abs($0) > 0.01 }
      }
      let _: Anechoic_V1_TestAudioResponse = try await rig.ask(
        RPC.testAudio, Anechoic_V1_TestAudioRequest())
      #expect(rig.microphone.isOpen && tap.samples.allSatisfy { $0 == 0 })
      _ = try await begin(rig, "softphone")
      try await eventually("the voice is heard") { tap.samples.contains { abs($0) > 0.01 } }
    }
  }

  @Test func theMuteOutlivesACall() async throws {
    try await run { rig in
      _ = try await begin(rig, "softphone")
      try await runs(rig)
      _ = try await rig.local.setMute("", muted: true)
      _ = try await end(rig)
      try await rests(rig)
      #expect(rig.status.mute.isMuted)
      _ = try await begin(rig, "softphone")
      try await eventually("the session is muted") {
        try await rig.remote.list().first?.mute.muted == true
      }
      _ = try await end(rig)
      try await rests(rig)
      // Between calls, the mute can be changed all the same.
      _ = try await rig.local.setMute("", muted: false)
      _ = try await begin(rig, "softphone")
      try await runs(rig)
    }
  }

  @Test func aCallWithoutAServerRunsOnThisMachine() async throws {
    try await run { setup in
      setup.hasServer = false
    } _: { rig in
      let tap = FIFOTap(rig.folder.path("voice"))
      try await eventually("the voice is heard") { tap.samples.contains { abs($0) > 0.01 } }
      #expect(try await rig.edgeStatus().microphoneUse == .session)
      tap.stop()
      try await eventually("closed") { !rig.microphone.isOpen }
      #expect(try await rig.edgeStatus().problem == "there is no call")
      // The server comes back between two calls.
      try rig.startServer()
      let next = FIFOTap(rig.folder.path("voice"))
      defer { next.stop() }
      try await runs(rig)
    }
  }

  @Test func aTestOpensTheDevicesBetweenCalls() async throws {
    try await run { rig in
      try await rests(rig)
      let result: Anechoic_V1_TestAudioResponse = try await rig.ask(
        RPC.testAudio, Anechoic_V1_TestAudioRequest())
      #expect(result.levelDbfs > -100)
      try await rests(rig)
    }
  }

  @Test func callsThatFollowAtOnceEachHaveASession() async throws {
    try await run { rig in
      for number in 1...5 {
        _ = try await begin(rig, "softphone")
        try await eventually("session \(number)") { rig.status.sessionCount == number }
        _ = try await end(rig)
      }
      try await rests(rig)
    }
  }
}
