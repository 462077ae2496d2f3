import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio
import TestNetwork
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// Sessions whose audio is Opus packets, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OpusSessionTests {
  @Test(arguments: OpusSettings.sampleRates)
  func everyInputAndOutputCanBeOpus(rate: SampleRate) async throws {
    let call = OpusCall(rate)
    let heard = try await TestServer.run { server in
      try await call.run(on: server, call.start)
    }
    let outputs = heard.started.outputs
    #expect(outputs.chunkDuration == Google_Protobuf_Duration(seconds: 0, nanos: 20_000_000))
    #expect(outputs.processed.encoding == .opus && outputs.processed.opus.bitRate == 32_000)
    #expect(outputs.processed.opus.complexity == 1 && !outputs.processed.opus.fec)
    #expect(
      outputs.playback.opus
        == .with {
          $0.bitRate = 24_000
          $0.complexity = 5
          $0.fec = true
          $0.expectedLossPercent = 10
        })
    #expect(heard.started.inputs.microphone.encoding == .opus)
    #expect(!heard.started.inputs.microphone.hasOpus)
    #expect(heard.started.playbackDelay.nanos == 6_500_000)
    let count = call.microphone.count * 2 * rate.samplesPerFrame
    let processed = Packets.decode(heard.processed, rate)
    let playback = Packets.decode(heard.playback, rate)
    #expect(processed.count == count && playback.count == count)
    #expect(level(processed) > -60 && level(playback) > -45)
    #expect(heard.events.last?.sessionEnded.reason == .clientClosed)
  }

  /// The delay that `started` states is the delay of what a client decodes.
  @Test func theDelayOfBothOutputsIsAsStated() async throws {
    let call = OpusCall(.hz16000)
    let start = call.start.with {
      $0.inputs.clearReference()
      $0.inputs.clearOtherAudio()
      $0.config.voiceProcessing.bypassed = true
    }
    let heard = try await TestServer.run { try await call.run(on: $0, start) }
    func samples(_ delay: Google_Protobuf_Duration) -> Int { Int(delay.nanos + 500) / 62_500 }
    let microphone = Packets.decode(call.microphone, .hz16000)
    let processed = Packets.decode(heard.processed, .hz16000)
    let stated = samples(heard.started.algorithmicDelay)
    #expect(stated > 104)
    #expect(abs(lag(of: processed, behind: microphone, limit: 1000) - stated) <= 1)
    let farEnd = Packets.decode(call.farEnd, .hz16000)
    let playback = Packets.decode(heard.playback, .hz16000)
    #expect(abs(lag(of: playback, behind: farEnd, limit: 1000) - 104) <= 1)
  }

  @Test func lostPacketsAreConcealedAndReported() async throws {
    let call = OpusCall(.hz16000)
    let heard = try await TestServer.run {
      try await call.run(on: $0, call.start, losing: [20, 21, 40])
    }
    let gaps = heard.events.filter { $0.discontinuity.input == .microphone }
    #expect(gaps.map(\.discontinuity.missingSamples) == [640, 320])
    #expect(heard.processed.count == call.microphone.count)
  }

  @Test func aRecordedSessionIsReplayedBitForBit() async throws {
    let call = OpusCall(.hz16000)
    var heard: OpusCall.Heard?
    let recorded = try await RecordedCall.run { server in
      let start = call.start.with { $0.sessionID = RecordedCall.id }
      let result = try await call.run(on: server, start, losing: [20, 21, 40])
      heard = result
      return result.recording
    }
    let replay = try recorded.expectSame()
    let outcome = try replay.outcome
    #expect(outcome.withheldFrom == nil)
    #expect(outcome.frames == call.microphone.count * 2)
    #expect(outcome.samplesAlike == Int64(call.microphone.count) * 320)
    #expect(heard?.processed.isEmpty == false)
  }

  /// The first packet after a mute may contain a copy of the packet before it.
  @Test func aRecordingHasNoPacketOfAMutedMicrophone() async throws {
    let call = OpusCall(.hz16000)
    let mute = Anechoic_V1_Control.with {
      $0.atSample = 20 * 320
      $0.setMute.muted = true
    }
    let unmute = Anechoic_V1_Control.with {
      $0.atSample = 40 * 320
      $0.setMute.muted = false
    }
    let recorded = try await RecordedCall.run { server in
      let start = call.start.with { $0.sessionID = RecordedCall.id }
      return try await call.run(on: server, start, controls: [mute, unmute]).recording
    }
    for (index, packet) in call.microphone.enumerated() {
      let isKept = recorded.file.range(of: Data(packet)) != nil
      #expect(isKept == !(20..<41).contains(index), "packet \(index)")
    }
    let outcome = try recorded.replay().outcome
    // A frame may wait for its reference.
    let withheldFrom = try #require(outcome.withheldFrom)
    #expect((19 * 320...20 * 320).contains(withheldFrom) && outcome.fault == nil)
  }

  @Test func aSessionThatLostItsConnectionGoesOnBitForBit() async throws {
    let call = OpusCall(.hz16000, seconds: 10)
    let start = Anechoic_V1_Start.mediaClock().with {
      $0.inputs.microphone = call.start.inputs.microphone
    }
    let whole = try await TestServer.run { try await call.run(on: $0, start) }
    try await TestServer.runWithProxy { _, proxy in
      let stream = try await proxy.client().processResumably(start)
      async let sending: Void = {
        let pace = Metronome(every: .milliseconds(1))
        for (number, packet) in call.microphone.enumerated() {
          try await stream.send(.with { $0.microphone.samples = Data(packet) })
          try await pace.beat(number + 1)
        }
        stream.finish()
      }()
      var processed: [[UInt8]] = []
      var resumptions = 0
      while let update = try await stream.receive() {
        switch update {
        case .response(let response):
          if case .audio = response.response {
            processed.append(Array(response.audio.processed.samples))
            if processed.count == 100 || processed.count == 250 { proxy.cut() }
          }
        case .resumed: resumptions += 1
        default: break
        }
      }
      try await sending
      #expect(resumptions == 2)
      #expect(processed == whole.processed)
    }
  }

  @Test func injectedSpeechCanBeOpus() async throws {
    try await TestServer.run { server in
      _ = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let own = server.steering(as: "olga")
        let injection = try await own.injectSpeech(
          .with {
            $0.name = session.name
            $0.injectionID = "opus"
            $0.format = .with {
              $0.encoding = .opus
              $0.sampleRateHz = 16_000
              $0.channelCount = 1
            }
          })
        for packet in Packets.encode([Signals.babble(8000, rate: .hz16000)], .hz16000) {
          try await injection.send(.with { $0.samples = Data(packet) })
        }
        let response = try await injection.finish()
        #expect((498_000_000...502_000_000).contains(response.injected.nanos))
      }
    }
  }

  @Test func theCapabilitiesListOpus() async throws {
    try await TestServer.run { server in
      let encodings = try await server.client.capabilities().encodings
      #expect(encodings == [.pcmS16Le, .pcmF32Le, .opus])
    }
  }
}
