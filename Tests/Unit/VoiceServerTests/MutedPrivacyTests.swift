import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

/// A search for the sound of a muted microphone in everything that the server sends.
@Suite(.timeLimit(.minutes(1)))
struct MutedPrivacyTests {
  private let format = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)

  @Test func nothingOfAMutedMicrophoneLeavesTheServer() async throws {
    let spoken = try await Voices.far(seconds: 4).map { $0 * 1.8 }
    let farEnd = Signals.babble(64_000, rate: .hz16000, amplitude: 0.2, seed: 12)
    let microphone = encode([spoken], .s16)
    let (sent, watched) = try await everything(microphone, farEnd: encode([farEnd], .s16))

    // The bytes: no four consecutive samples that are louder than near silence.
    let windows = Self.loudWindows(of: microphone)
    #expect(windows.count > 1000)
    #expect(Self.contains(microphone, oneOf: windows))
    for message in sent + watched { #expect(!Self.contains(message, oneOf: windows)) }
    // The sound: no correlation with either output, at any shift.
    let responses = try sent.map { try Anechoic_V1_ProcessResponse(serializedBytes: Data($0)) }
    let processed = responses.flatMap { Array($0.audio.processed.samples) }
    let playback = responses.flatMap { Array($0.audio.playback.samples) }
    #expect(processed.count == microphone.count && processed.allSatisfy { $0 == 0 })
    let heard = decode(playback, .s16)[0]
    #expect(Self.largestCorrelation(of: farEnd, in: heard) > 0.9)
    #expect(Self.largestCorrelation(of: spoken, in: heard) < 0.2)
    #expect(responses.contains { $0.event.mutedSpeechActivity.activity == .started })
  }

  /// Returns all messages to the media client and to a watcher of a muted session.
  private func everything(
    _ microphone: [UInt8], farEnd: [UInt8]
  ) async throws -> (sent: [[UInt8]], watched: [[UInt8]]) {
    try await TestServer.run { server in
      let start = Anechoic_V1_Start.mediaClock(format).with {
        $0.sessionID = "muted"
        $0.muted = true
        $0.inputs.farEnd = Anechoic_V1_AudioFormat(format)
        $0.outputs.playback = Anechoic_V1_AudioFormat(format)
        $0.config.voiceActivityDetection.enabled = true
        $0.statsInterval.nanos = 100_000_000
      }
      let call = server.call()
      try await call.send(Anechoic_V1_ProcessRequest.start(start).serializedBytes())
      var sent: [[UInt8]] = []
      sent.append(try #require(try await call.receive()))
      let request: [UInt8] = try Anechoic_V1_WatchSessionRequest.with {
        $0.name = "sessions/muted"
        $0.statsInterval.nanos = 100_000_000
      }.serializedBytes()
      let watch = try await server.channel.serverStreaming(
        Method(service: RPC.sessions, name: RPC.watchSession), request)
      var watched = [try #require(try await watch.receive())]
      let size = format.bytes(20)
      async let sending: Void = {
        for offset in stride(from: 0, to: microphone.count, by: size) {
          let request = Anechoic_V1_ProcessRequest.with {
            $0.audio.microphone.samples = Data(microphone[offset...].prefix(size))
            $0.audio.farEnd.samples = Data(farEnd[offset...].prefix(size))
          }
          try await call.send(request.serializedBytes())
        }
        call.halfClose()
      }()
      while let message = try await call.receive() { sent.append(message) }
      try await sending
      while let message = try await watch.receive() { watched.append(message) }
      return (sent, watched)
    }
  }

  /// Returns every window of four consecutive samples that are all louder than near silence.
  private static func loudWindows(of audio: [UInt8]) -> Set<UInt64> {
    let offsets = stride(from: 0, to: audio.count - 8, by: 2).filter { offset in
      stride(from: offset + 1, to: offset + 8, by: 2).allSatisfy { index in
        abs(Int(Int8(bitPattern: audio[index]))) > 2
      }
    }
    return Set(offsets.map { audio[$0..<$0 + 8].reduce(0) { $0 << 8 | UInt64($1) } })
  }

  private static func contains(_ message: [UInt8], oneOf windows: Set<UInt64>) -> Bool {
    var window: UInt64 = 0
    for (index, byte) in message.enumerated() {
      window = window << 8 | UInt64(byte)
      if index >= 7, windows.contains(window) { return true }
    }
    return false
  }

  /// Returns the largest correlation within 100 ms, 0...1.
  private static func largestCorrelation(of signal: [Float], in other: [Float]) -> Float {
    let length = 8000
    func energy(_ samples: ArraySlice<Float>) -> Float { samples.reduce(0) { $0 + $1 * $1 } }
    let scale = (energy(signal.prefix(length)) * energy(other.prefix(length))).squareRoot()
    guard scale > 0 else { return 0 }
    return (0..<1600).map { shift in
      var sum: Float = 0
      for index in 0..<length { sum += signal[index] * other[index + shift] }
      return abs(sum) / scale
    }.max() ?? 0
  }
}
