import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

#if canImport(Glibc)
  import Glibc
#endif

/// Voices and other sounds, with and without missing blocks.
struct ReferenceGapTests {
  private static let rate = SampleRate.hz16000

  /// Returns the seconds at which the gaps begin and end.
  private func changes(
    _ signal: [Float], rate: SampleRate = rate, channelCount: Int = 1
  ) -> [Double] {
    var detector = ReferenceGapDetector(rate: rate)
    let frame = Frame(rate: rate, channelCount: channelCount)
    let size = frame.sampleCount
    var changes: [Double] = []
    for index in 0..<(signal.count / size) {
      for channel in 0..<channelCount {
        // As a client with 16 bits sends it.
        for sample in 0..<size {
          frame.plane(channel)[sample] = (signal[index * size + sample] * 32768).rounded() / 32768
        }
      }
      let hasGaps = detector.process(frame)
      if hasGaps != !changes.count.isMultiple(of: 2) { changes.append(Double(index + 1) / 100) }
    }
    return changes
  }

  /// Returns a signal in which a quarter of the blocks is silent or left out.
  private func lossy(_ signal: [Float], block: Int, isSilent: Bool, seed: UInt64 = 1) -> [Float] {
    var random = SeededGenerator(seed: seed)
    var result: [Float] = []
    for first in stride(from: 0, to: signal.count - block, by: block) {
      if Int.random(in: 0..<4, using: &random) > 0 {
        result += signal[first..<first + block]
      } else if isSilent {
        result += Signals.silence(block)
      }
    }
    return result
  }

  @Test(arguments: [160, 256, 320, 441], [true, false])
  func missingBlocksAreFoundWithinFiveSeconds(block: Int, isSilent: Bool) async throws {
    let voice = try await Voices.far(seconds: 12)
    let found = changes(lossy(voice, block: block, isSilent: isSilent))
    #expect(found.count == 1 && found[0] < 5, "\(found)")
  }

  /// As where a client sends 341 samples of each 512.
  @Test func aRegularLossIsFound() async throws {
    let voice = try await Voices.far(seconds: 9)
    let parts = stride(from: 0, to: voice.count - 512, by: 512).map { voice[$0..<$0 + 341] }
    let found = changes(Array(parts.joined()))
    #expect(found.count == 1 && found[0] < 3, "\(found)")
  }

  @Test(arguments: SampleRate.allCases, [true, false])
  func missingBlocksAreFoundAtEveryRate(rate: SampleRate, isSilent: Bool) {
    let voice = Signals.vowels(9 * rate.hertz, rate: rate)
    let found = changes(
      lossy(voice, block: 2 * rate.samplesPerFrame, isSilent: isSilent), rate: rate)
    #expect(found.count == 1 && found[0] < 5, "\(found)")
    #expect(changes(voice, rate: rate).isEmpty)
  }

  @Test func missingBlocksAreFoundInTwoChannels() async throws {
    let voice = try await Voices.far(seconds: 8)
    let found = changes(lossy(voice, block: 320, isSilent: true), channelCount: 2)
    #expect(found.count == 1 && found[0] < 5, "\(found)")
  }

  @Test func theGapsEndWithTheLoss() async throws {
    let voice = try await Voices.far.value
    let found = changes(lossy(Array(voice.prefix(96000)), block: 320, isSilent: true) + voice)
    #expect(found.count == 2 && found[1] > 6 && found[1] < 20, "\(found)")
  }

  /// A gate that works in frames of 10 ms begins and ends on a grid, too.
  @Test(arguments: [-46, -41, -36] as [Float], [0, 5, 15])
  func aGatedVoiceHasNoGaps(threshold: Float, hold: Int) async throws {
    let voice = try await Voices.far.value
    let rms = level(voice)
    var gated: [Float] = []
    var open = 0
    for first in stride(from: 0, to: voice.count - 160, by: 160) {
      let frame = voice[first..<first + 160]
      open = level(frame) > threshold + rms + 24 ? hold + 1 : max(0, open - 1)
      gated += open > 0 ? Array(frame) : Signals.silence(160)
    }
    #expect(changes(gated).isEmpty)
  }

  @Test func voicesHaveNoGaps() async throws {
    let (far, near) = (try await Voices.far.value, try await Voices.near.value)
    #expect(changes(far).isEmpty)
    #expect(changes(near).isEmpty)
    #expect(changes(far.map { 0.05 * $0 }).isEmpty)
    #expect(changes(Signals.babble(20 * 16000, rate: Self.rate)).isEmpty)
  }

  /// Waveforms with steps that repeat themselves.
  @Test(arguments: [20, 33.3, 50, 62.5, 100, 220] as [Float])
  func periodicSoundsHaveNoGaps(frequency: Float) {
    let phases = (0..<(9 * 16000)).map { index in
      (Float(index) * frequency / 16000).truncatingRemainder(dividingBy: 1)
    }
    #expect(changes(phases.map { $0 < 0.5 ? 0.1 : -0.1 }).isEmpty, "square")
    #expect(changes(phases.map { $0 < 0.3 ? 0.1 : -0.1 }).isEmpty, "pulse")
    #expect(changes(phases.map { 0.2 * ($0 - 0.5) }).isEmpty, "saw")
    #expect(changes(phases.map { 0.1 * sinf(2 * .pi * $0) }).isEmpty, "sine")
  }

  @Test(arguments: [160, 320, 800])
  func clicksHaveNoGaps(period: Int) {
    let clicks = (0..<(9 * 16000)).map { index in
      index.isMultiple(of: period)
        ? Float(0.5) : index % period == period / 2 ? Float(-0.5) : Float(0)
    }
    #expect(changes(clicks).isEmpty)
    #expect(changes(clicks.map { max(0, $0) }).isEmpty)
  }

  /// Tones of 50 ms with pauses of 50 ms, as of a keypad.
  @Test func keypadTonesHaveNoGaps() {
    let signal = (0..<(9 * 16000)).map { index in
      let place = index % 1600
      let edge = Float(min(place, max(0, 800 - place), 32)) / 32
      let second = [1209, 1336, 1477] as [Float]
      let (low, high) = (Float(697), second[index / 1600 % 3])
      let time = Float(index) / 16000
      return 0.1 * edge * (sinf(2 * .pi * low * time) + sinf(2 * .pi * high * time))
    }
    #expect(changes(signal).isEmpty)
  }

  @Test func silenceAndNoiseHaveNoGaps() {
    #expect(changes(Signals.silence(160_000)).isEmpty)
    #expect(changes(Signals.noise(160_000)).isEmpty)
  }
}
