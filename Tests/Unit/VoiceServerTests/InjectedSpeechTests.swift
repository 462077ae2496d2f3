import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

/// Injected speech in the outputs.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InjectedSpeechTests {
  struct Format: Sendable, CustomTestStringConvertible {
    let rate: SampleRate
    let channels: Int
    let encoding: SampleEncoding

    var audio: AudioFormat { AudioFormat(encoding: encoding, rate: rate, channelCount: channels) }
    var testDescription: String { "\(rate.hertz) Hz, \(channels), \(encoding)" }
  }

  private static let formats = [
    Format(rate: .hz8000, channels: 1, encoding: .s16),
    Format(rate: .hz16000, channels: 1, encoding: .s16),
    Format(rate: .hz44100, channels: 1, encoding: .f32),
    Format(rate: .hz48000, channels: 2, encoding: .s16),
    Format(rate: .hz44100, channels: 2, encoding: .s16),
  ]

  @Test(arguments: formats)
  func audioOfAnyRateIsHeardAtBothEnds(format: Format) async throws {
    let speech = Self.speech(1000, format.audio.rate)
    let audio = encode([[Float]](repeating: speech, count: format.channels), format.encoding)
    try await TestServer.run { server in
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        let response = try await session.inject(audio, format.audio, id: "bell", as: "olga")
        let injected = response.injected
        #expect(response.injectionID == "bell")
        #expect(injected.seconds == 1 || injected.nanos > 998_000_000, "\(injected)")
        #expect(injected.seconds == 0 || injected.nanos < 2_000_000, "\(injected)")
      }
      #expect(recording.progress(of: "bell") == [.started, .finished])
      // The speech that was sent, at the rate of the outputs.
      let expected = Self.speech(1000, .hz16000)
      for output in [recording.processed, recording.playback] {
        let heard = Self.part(of: decode(output, .s16)[0], from: recording, of: "bell")
        #expect(Self.likeness(expected, heard) > 0.95)
        #expect(abs(level(expected) - level(heard.prefix(16_000))) < 0.5)
      }
    }
  }

  @Test(arguments: ["", "de", "en-us+f3"])
  func textIsSpokenInItsVoice(voice: String) async throws {
    try await TestServer.run { server in
      var lengths: [Double] = []
      let recording = try await InjectedSession.run(server) { session in
        try await session.permit("olga")
        for id in ["once", "twice"] {
          let texts = [String](repeating: "Somebody is at the door.", count: id == "once" ? 1 : 2)
          let response = try await session.inject(texts: texts, voice: voice, id: id, as: "olga")
          lengths.append(Double(response.injected.seconds) + Double(response.injected.nanos) / 1e9)
        }
      }
      #expect(lengths[0] > 0.8 && lengths[0] < 5 && abs(lengths[1] - 2 * lengths[0]) < 0.05)
      let playback = decode(recording.playback, .s16)[0]
      let once = Self.part(of: playback, from: recording, of: "once")
      let twice = Self.part(of: playback, from: recording, of: "twice")
      #expect(level(once.prefix(Int(16_000 * lengths[0]))) > -40)
      #expect(Self.likeness(Array(once.prefix(12_000)), Array(twice)) > 0.95)
    }
  }

  @Test func inRealTimeItIsHeardAsIsUnderTheMediaClock() async throws {
    try await TestServer.run { server in
      let start = InjectedSession.start.with { $0.pacing = .realTime }
      let recording = try await InjectedSession.run(server, start) { session in
        try await session.permit("olga")
        try await session.inject(
          encode([Self.speech(700, .hz16000)], .s16), .s16, id: "bell", as: "olga")
      }
      #expect(recording.progress(of: "bell") == [.started, .finished])
      for output in [recording.processed, recording.playback] {
        let heard = Self.part(of: decode(output, .s16)[0], from: recording, of: "bell")
        #expect(Self.likeness(Self.speech(700, .hz16000), heard) > 0.95)
      }
    }
  }

  @Test func whileMutedItIsHeardHereAndNothingIsHeardThere() async throws {
    let microphone = AudioFormat.s16.babble(3000)
    let speech = Self.speech(1000, .hz16000)
    try await TestServer.run { server in
      let start = InjectedSession.start.with { $0.muted = true }
      let recording = try await InjectedSession.run(server, start, microphone: microphone) {
        session in
        try await session.permit("olga")
        try await session.inject(encode([speech], .s16), .s16, id: "bell", as: "olga")
      }
      #expect(recording.processed.allSatisfy { $0 == 0 })
      // The playback contains only the injected speech. The microphone is not part of it.
      let playback = decode(recording.playback, .s16)[0]
      let first = try #require(playback.firstIndex { $0 != 0 })
      let last = try #require(playback.lastIndex { $0 != 0 })
      // The step at its end fades out over 5 ms.
      #expect(last - first < speech.count + 80)
      // The speech begins with a sample of 0.
      let heard = Array(playback[(first - 8)...last])
      #expect(Self.likeness(speech, heard) > 0.999)
    }
  }

  @Test func withoutPlaybackItIsHeardThere() async throws {
    try await TestServer.run { server in
      let start = InjectedSession.start.with { $0.outputs.clearPlayback() }
      let recording = try await InjectedSession.run(server, start) { session in
        try await session.permit("olga")
        try await session.inject(
          encode([Self.speech(500, .hz16000)], .s16), .s16, id: "bell", as: "olga")
      }
      let heard = Self.part(of: decode(recording.processed, .s16)[0], from: recording, of: "bell")
      #expect(Self.likeness(Self.speech(500, .hz16000), heard) > 0.95)
    }
  }

  @Test func theLoudestThatCanBeSentIsLimitedAndLeavesNumbers() async throws {
    let format = AudioFormat(encoding: .f32, rate: .hz44100, channelCount: 1)
    let loud = (0..<22_050).map { index in
      (index / 100).isMultiple(of: 2)
        ? Float.greatestFiniteMagnitude : -Float.greatestFiniteMagnitude
    }
    try await TestServer.run { server in
      var start = InjectedSession.start
      start.outputs.processed = Anechoic_V1_AudioFormat(
        AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1))
      start.outputs.playback = start.outputs.processed
      let recording = try await InjectedSession.run(server, start) { session in
        try await session.permit("olga")
        try await session.inject(encode([loud], .f32), format, as: "olga")
        // The injection changed nothing permanently.
        let after = try await server.steering(as: "olga").get(session.name)
        #expect(after.stats.levels.processedRmsDbfs.isFinite)
      }
      let output = AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1)
      for samples in [recording.processed, recording.playback] {
        #expect(decode(samples, output)[0].allSatisfy { abs($0) <= 1 })
      }
    }
  }

  /// Returns gliding tones. They correlate with themselves only without a shift, and no sample rate
  /// removes them.
  static func speech(_ milliseconds: Int, _ rate: SampleRate) -> [Float] {
    let count = rate.hertz * milliseconds / 1000
    return (0..<count).map { index in
      let time = Float(index) / Float(rate.hertz)
      return 0.2 * sin(2 * .pi * (300 * time + 700 * time * time))
    }
  }

  /// Returns the output from the event on that reports the start of an injection.
  private static func part(
    of samples: [Float], from recording: Recording, of id: String
  ) -> ArraySlice<Float> {
    let event = recording.events.first { $0.injectionProgress.injectionID == id }
    return samples.dropFirst(Int(event?.microphoneSample ?? 0))
  }

  /// Returns the largest correlation of a signal with a part of another within 40 ms, 0...1.
  private static func likeness(_ signal: [Float], _ other: some Collection<Float>) -> Float {
    let other = Array(other)
    return (0..<640).map { shift -> Float in
      let length = min(signal.count, other.count - shift)
      guard length > 0 else { return 0 }
      var (product, first, second) = (Float(0), Float(0), Float(0))
      for index in 0..<length {
        product += signal[index] * other[index + shift]
        first += signal[index] * signal[index]
        second += other[index + shift] * other[index + shift]
      }
      return product / max(Float.leastNormalMagnitude, (first * second).squareRoot())
    }.max() ?? 0
  }
}
