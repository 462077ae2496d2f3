import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Synchronization
import Testing
import TestNetwork
import TestTime
import VoiceClient
import VoiceServer

/// The client library's stream that gets its session back by itself.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ResumableStreamTests {
  @Test func aRecordingSurvivesThreeLostConnectionsBitForBit() async throws {
    let microphone = AudioFormat.s16.babble(20_000)
    let whole = try await TestServer.run { server in
      try await server.record(.mediaClock(), microphone: microphone)
    }
    try await TestServer.runWithProxy { server, proxy in
      let stream = try await proxy.client().processResumably(.mediaClock())
      let call = LongCall(stream)
      async let sending: Void = call.send(microphone, pause: .milliseconds(1))
      async let cutting: Void = {
        for count in [200, 600, 1200] {
          try await eventually("\(count) frames") { call.recording.frames.count > count }
          proxy.cut()
        }
      }()
      try await call.receive()
      try await sending
      try await cutting
      let heard = call.recording
      #expect(heard.processed == whole.processed)
      #expect(heard.hasContiguousEvents && heard.endReason == .clientClosed)
      #expect(call.resumptions.count == 3 && call.restarts.isEmpty)
      #expect(call.resumptions.allSatisfy { $0.concealedSamples == 0 && $0.lostSamples == 0 })
    }
  }

  @Test func aLiveSessionContinuesWithTheAudioThatWasKept() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let start = Anechoic_V1_Start.mediaClock().with { $0.pacing = .realTime }
      let stream = try await proxy.client().processResumably(start)
      let call = LongCall(stream)
      async let receiving: Void = call.receive()
      let microphone = AudioFormat.s16.babble(4000)
      async let sending: Void = call.send(microphone, pause: .milliseconds(10))
      try await eventually("frames") { call.recording.frames.count > 50 }
      proxy.refuse(true)
      proxy.cut()
      try await eventually("a loss") { call.losses == 1 }
      try await call.sends(frames: 50)
      proxy.refuse(false)
      try await sending
      try await receiving
      // The client keeps 2 s.
      let heard = call.recording
      #expect(heard.processed.count == microphone.count && heard.endReason == .clientClosed)
      #expect(call.resumptions.count == 1 && call.restarts.isEmpty)
      #expect(call.resumptions.first?.concealedSamples == 0)
      #expect(!heard.events.contains { $0.discontinuity.missingSamples > 0 })
    }
  }

  @Test func aSilentNetworkIsNoticed() async throws {
    try await TestServer.runWithProxy { server, proxy in
      let start = Anechoic_V1_Start.mediaClock().with { $0.pacing = .realTime }
      var policy = ReconnectionPolicy()
      policy.silence = .milliseconds(600)
      let stream = try await proxy.client().processResumably(start, policy: policy)
      let call = LongCall(stream)
      async let receiving: Void = call.receive()
      async let sending: Void = call.send(AudioFormat.s16.babble(3000), pause: .milliseconds(10))
      try await eventually("frames") { call.recording.frames.count > 50 }
      // The server notices nothing, so the client takes its session over.
      proxy.freeze()
      try await sending
      try await receiving
      #expect(call.resumptions.count == 1 && call.restarts.isEmpty)
      #expect(call.recording.endReason == .clientClosed)
      #expect(call.recording.processed.count == AudioFormat.s16.bytes(3000))
      try await server.hasNoSessions()
    }
  }

  @Test func aNewSessionStartsElsewhereIfTheServerIsGone() async throws {
    let first = try VoiceProcessingServer(Self.configuration)
    let test = try TestServer(first)
    // A server that is killed says nothing any more.
    let proxy = try TCPProxy(to: test.address)
    defer { proxy.stop() }
    try await TestServer.run { second in
      let start = Anechoic_V1_Start.mediaClock().with {
        $0.pacing = .realTime
        $0.sessionID = "desk"
      }
      var policy = ReconnectionPolicy()
      policy.loyalty = .milliseconds(500)
      let stream = try await proxy.client().processResumably(
        start, elsewhere: [second.client], policy: policy)
      let call = LongCall(stream)
      async let receiving: Void = call.receive()
      async let sending: Void = call.send(AudioFormat.s16.babble(4000), pause: .milliseconds(10))
      try await eventually("frames") { call.recording.frames.count > 50 }
      let lost = ContinuousClock.now
      proxy.refuse(true)
      proxy.cut()
      try await eventually("a new session") { !call.restarts.isEmpty }
      print("a new session elsewhere after \(ContinuousClock.now - lost)")
      try await sending
      try await receiving
      let restart = try #require(call.restarts.first)
      #expect(restart.reason.code == .unavailable || restart.reason.isLostConnection)
      #expect(restart.sample > 0 && restart.started.session == "sessions/desk")
      #expect(call.resumptions.isEmpty && call.restarts.count == 1)
      // Indexes go on where the first session ended.
      #expect(call.recording.firstSamples.contains(restart.sample))
      #expect(call.lastSample == 64_000)
    }
    await first.stop(grace: .zero)
  }

  @Test func aServerThatWasStartedAnewDoesNotKnowTheSession() async throws {
    let first = try VoiceProcessingServer(Self.configuration)
    let proxy = try TCPProxy(to: try TestServer(first).address)
    defer { proxy.stop() }
    try await TestServer.run { second in
      let stream = try await proxy.client().processResumably(
        .mediaClock().with { $0.pacing = .realTime })
      let call = LongCall(stream)
      async let receiving: Void = call.receive()
      async let sending: Void = call.send(AudioFormat.s16.babble(4000), pause: .milliseconds(10))
      try await eventually("frames") { call.recording.frames.count > 50 }
      let olga = try TestServer(first).steering(as: "olga")
      _ = try await olga.setMute(stream.started.session, muted: true)
      try await stream.send(
        Anechoic_V1_Control.with {
          $0.updateConfig.config.preferredMicMode = .wideSpectrum
          $0.updateConfig.updateMask.paths = ["preferred_mic_mode"]
        })
      try await eventually("mute") { call.recording.events.contains { $0.muteChanged.state.muted } }
      try await eventually("a mode") {
        call.recording.events.contains {
          $0.configChanged.config.preferredMicMode == .wideSpectrum
        }
      }
      proxy.refuse(true)
      proxy.cut()
      try await call.sends(frames: 60)
      proxy.retarget(to: second.address)
      proxy.refuse(false)
      try await sending
      try await receiving
      #expect(call.restarts.count == 1 && call.resumptions.isEmpty)
      let restart = try #require(call.restarts.first)
      #expect(restart.started.mute.muted && restart.reason.code == .notFound)
      #expect(restart.started.config.preferredMicMode == .wideSpectrum)
      #expect(restart.started.session == stream.started.session)
      // Audio that waited for 600 ms is lost. The new session is not late.
      #expect(restart.lost >= 8000 && call.recording.firstSamples.contains(restart.sample))
      #expect(call.lastSample == 64_000)
      #expect(call.recording.endReason == .clientClosed)
    }
    await first.stop(grace: .zero)
  }

  @Test func aServerThatStopsSendsItsClientsElsewhere() async throws {
    let first = try VoiceProcessingServer(Self.configuration)
    try await TestServer.run { second in
      let stream = try await TestServer(first).client.processResumably(
        .mediaClock().with { $0.pacing = .realTime }, elsewhere: [second.client])
      let call = LongCall(stream)
      async let receiving: Void = call.receive()
      async let sending: Void = call.send(AudioFormat.s16.babble(2000), pause: .milliseconds(10))
      try await eventually("frames") { call.recording.frames.count > 50 }
      await first.stop(grace: .milliseconds(100))
      try await sending
      try await receiving
      #expect(call.restarts.count == 1 && call.restarts.first?.reason.code == .unavailable)
      #expect(call.lastSample == 32_000)
    }
  }

  /// The next session would be refused for good.
  @Test func anEnrollmentThatWasRefusedIsNotAskedOfTheNextSession() async throws {
    let first = try VoiceProcessingServer(Self.configuration)
    try await TestServer.run { second in
      let stream = try await TestServer(first).client.processResumably(
        .mediaClock().with {
          $0.pacing = .realTime
          $0.engine = "webrtc-audio-processing"  // It learns no voice.
        }, elsewhere: [second.client])
      let call = LongCall(stream)
      async let receiving: Void = call.receive()
      async let sending: Void = call.send(AudioFormat.s16.babble(2000), pause: .milliseconds(10))
      try await stream.send(
        Anechoic_V1_Control.with {
          $0.controlID = 1
          $0.enrollVoice = .init()
        })
      try await eventually("a refusal") {
        call.recording.results.contains { $0.controlID == 1 && $0.hasRefusal }
      }
      await first.stop(grace: .milliseconds(100))
      try await sending
      try await receiving
      #expect(call.restarts.count == 1 && call.lastSample == 32_000)
    }
  }

  /// The stage would no longer follow the mic mode.
  @Test func aRefusedChangeSetsNoStageOfTheNextSession() async throws {
    try await TestServer.runWithProxy { server, _ in
      let stream = try await server.client.processResumably(
        .mediaClock().with { $0.pacing = .realTime })
      let call = LongCall(stream)
      async let receiving: Void = call.receive()
      async let sending: Void = call.send(AudioFormat.s16.babble(500), pause: .milliseconds(10))
      for (id, paths) in [
        (UInt64(1), ["voice_processing.noise_suppression", "preferred_mode"]),
        (2, ["voice_processing.gain_control", "preferred_mic_mode"]),
      ] {
        try await stream.send(
          Anechoic_V1_Control.with {
            $0.controlID = id
            $0.updateConfig.config.preferredMicMode = .wideSpectrum
            $0.updateConfig.config.voiceProcessing.noiseSuppression.enabled = false
            $0.updateConfig.config.voiceProcessing.gainControl.enabled = false
            $0.updateConfig.updateMask.paths = paths
          })
      }
      try await sending
      try await receiving
      #expect(call.recording.results.map(\.hasRefusal) == [true, false])
      let kept = try #require(stream.kept.configuration)
      #expect(kept.preferredMicMode == .wideSpectrum)
      #expect(kept.voiceProcessing.hasGainControl && !kept.voiceProcessing.gainControl.enabled)
      #expect(!kept.voiceProcessing.hasNoiseSuppression)
    }
  }

  @Test func aSessionThatSomebodyDeletedIsOver() async throws {
    try await TestServer.runWithProxy { server, _ in
      let stream = try await server.client.processResumably(.mediaClock())
      try await server.steering(as: "olga").delete(stream.started.session)
      let status = try await refusal { while try await stream.receive() != nil {} }
      #expect(status?.reason == "SESSION_DELETED")
      #expect(try await stream.receive() == nil)
      let late = try await refusal { try await stream.send(Anechoic_V1_AudioInput()) }
      #expect(late?.code == .cancelled)
    }
  }

  private static var configuration: ServerConfiguration {
    ServerConfiguration(addresses: ["127.0.0.1:0"], threads: 1, engines: TestServer.engines)
  }
}

/// A caller of `ResumableStream`, and everything that it was told.
private final class LongCall: Sendable {
  struct Restart {
    let started: Anechoic_V1_Started
    let sample: Int64
    let lost: Int64
    let reason: Status
  }

  private struct State {
    var recording = Recording()
    var resumptions: [Anechoic_V1_Started.Resumed] = []
    var restarts: [Restart] = []
    var losses = 0
    var lastSample: Int64 = 0
  }

  private let stream: ResumableStream
  private let state = Mutex(State())
  private let sent = Atomic(0)

  init(_ stream: ResumableStream) { self.stream = stream }

  var recording: Recording { state.withLock { $0.recording } }
  var resumptions: [Anechoic_V1_Started.Resumed] { state.withLock { $0.resumptions } }
  var restarts: [Restart] { state.withLock { $0.restarts } }
  var losses: Int { state.withLock { $0.losses } }
  /// The index after the last sample of the processed output.
  var lastSample: Int64 { state.withLock { $0.lastSample } }

  /// Sends the microphone 10 ms at a time, and ends the input.
  func send(_ microphone: [UInt8], pause: Duration) async throws {
    let size = AudioFormat.s16.bytes(10)
    let device = Metronome(every: pause)
    for (frame, offset) in stride(from: 0, to: microphone.count, by: size).enumerated() {
      try await stream.send(
        Anechoic_V1_AudioInput.with {
          $0.microphone.samples = Data(microphone[offset..<offset + size])
        })
      sent.store(frame + 1, ordering: .relaxed)
      try await device.beat(frame + 1)
    }
    stream.finish()
  }

  /// Waits until this many more frames have been passed to the stream.
  func sends(frames: Int) async throws {
    let first = sent.load(ordering: .relaxed)
    try await eventually("\(frames) more frames") {
      sent.load(ordering: .relaxed) >= first + frames
    }
  }

  func receive() async throws {
    while let update = try await stream.receive() {
      state.withLock { state in
        switch update {
        case .response(let response):
          state.recording.record(response)
          if case .audio(let audio) = response.response {
            state.lastSample =
              audio.processed.firstSample + Int64(audio.processed.samples.count / 2)
          }
        case .reconnecting: state.losses += 1
        case .resumed(let resumed): state.resumptions.append(resumed)
        case .restarted(let started, let sample, let lost, let reason):
          state.restarts.append(
            Restart(started: started, sample: sample, lost: lost, reason: reason))
        }
      }
    }
  }
}
