import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

@testable import AnechoicEngine

#if canImport(Glibc)
  import Glibc
#endif

struct VoiceIsolationTests {
  private static let settings = EngineSettings(noiseSuppression: .high, highPassFilter: true)
  private static let format = EngineFormat(rate: Voices.rate, channelCount: 1)

  private static var isolating: EngineSettings {
    var settings = settings
    settings.isolatesVoice = true
    return settings
  }

  /// Lets an engine process samples, and returns its output.
  @discardableResult
  private static func process(
    _ samples: some Sequence<Float>, _ engine: AnechoicVoiceEngine,
    _ each: () -> Void = {}
  ) -> (output: [Float], findings: [FrameFindings]) {
    let microphone = Frame(rate: format.rate, channelCount: 1)
    let reference = Frame(rate: format.rate, channelCount: 1)
    let output = Frame(rate: format.rate, channelCount: 1)
    let size = format.rate.samplesPerFrame
    let samples = Array(samples)
    var result: [Float] = []
    var findings: [FrameFindings] = []
    for start in stride(from: 0, through: samples.count - size, by: size) {
      for index in 0..<size { microphone.planePointers[0][index] = samples[start + index] }
      findings.append(
        engine.process(
          microphone: microphone, reference: reference, conditions: EchoConditions(), into: output))
      each()
      result += UnsafeBufferPointer(start: output.planePointers[0], count: size)
    }
    return (result, findings)
  }

  private static func engine(_ settings: EngineSettings) throws -> AnechoicVoiceEngine {
    try AnechoicVoiceEngine(format: format, settings: settings)
  }

  @Test func afterIsolationTheOutputIsThatWithoutIt() async throws {
    let voice = try await Voices.near.value.prefix(4 * Voices.rate.hertz)
    let plain = try Self.engine(Self.settings)
    let switched = try Self.engine(Self.isolating)
    let second = Voices.rate.hertz
    _ = Self.process(voice.prefix(second), plain)
    _ = Self.process(voice.prefix(second), switched)
    switched.apply(Self.settings, after: 0)
    // The limits move within some frames, and the probability that a voice was kept decays.
    _ = Self.process(voice.dropFirst(second).prefix(second), plain)
    _ = Self.process(voice.dropFirst(second).prefix(second), switched)
    let (wanted, found) = (
      Self.process(voice.dropFirst(2 * second), plain),
      Self.process(voice.dropFirst(2 * second), switched)
    )
    #expect(wanted.output == found.output)
  }

  @Test func aLoneVoiceIsKept() async throws {
    for samples in [try await Voices.near.value, try await Voices.far.value] {
      let voice = samples.prefix(5 * Voices.rate.hertz)
      let plain = Self.process(voice, try Self.engine(Self.settings))
      let isolated = Self.process(voice, try Self.engine(Self.isolating))
      let change = level(isolated.output[...]) - level(plain.output[...])
      #expect(change > -2, "\(change) dB")
      let heard = plain.findings.count(where: \.hasVoice)
      let kept = isolated.findings.count(where: \.hasVoice)
      #expect(kept > heard * 8 / 10, "\(kept) of \(heard) frames")
    }
  }

  @Test func aVoiceIsLearntFromItsSureFrames() async throws {
    let voice = try await Voices.near.value
    let engine = try Self.engine(Self.settings)
    #expect(engine.enrollment == nil && engine.enrolledVoiceprint.isEmpty)
    engine.beginEnrollment()
    #expect(engine.enrollment == EnrollmentProgress(frames: 0, consistency: 0))
    _ = Self.process([Float](repeating: 0, count: Voices.rate.hertz), engine)
    #expect(engine.enrollment?.frames == 0)
    _ = Self.process(voice.prefix(Voices.rate.hertz), engine)
    #expect(engine.enrolledVoiceprint.isEmpty)
    for _ in 0..<4 { _ = Self.process(voice.prefix(4 * Voices.rate.hertz), engine) }
    let progress = try #require(engine.enrollment)
    #expect(AnechoicVoiceEngine.enrollmentFrames.contains(progress.frames))
    #expect(progress.consistency > 0.3 && progress.consistency <= 1)
    let voiceprint = engine.enrolledVoiceprint
    #expect(voiceprint.count == AnechoicVoiceEngine.voiceprintLength)
    #expect(abs(voiceprint.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4)
    engine.endEnrollment()
    #expect(engine.enrollment == nil && engine.enrolledVoiceprint.isEmpty)
  }

  /// A telephone or a headset has only a part of the voice that was learnt.
  @Test func anEnrolledVoiceIsKeptAtATelephoneAfterSomeSeconds() async throws {
    let learning = try Self.engine(Self.settings)
    learning.beginEnrollment()
    let voice = try await Voices.near.value
    _ = Self.process(voice, learning)
    let call = Array([[Float]](repeating: Self.telephone(voice), count: 3).joined())
    let plain = Self.process(call, try Self.engine(Self.settings)).output
    let engine = try Self.engine(Self.isolating)
    engine.isolate(learning.enrolledVoiceprint)
    let isolated = Self.process(call, engine).output
    let change = level(isolated[(2 * voice.count)...]) - level(plain[(2 * voice.count)...])
    #expect(change > -6, "\(change) dB")
  }

  /// Returns what a telephone has of a voice: its sounds below 3.4 kHz.
  private static func telephone(_ voice: [Float]) -> [Float] {
    let taps = (-50...50).map { index -> Float in
      let x = Float(index) * 2 * .pi * 3400 / Float(Voices.rate.hertz)
      let window = 0.5 + 0.5 * cos(Float(index) * .pi / 51)
      return (index == 0 ? 1 : sin(x) / x) * window * 2 * 3400 / Float(Voices.rate.hertz)
    }
    return voice.indices.map { place in
      taps.indices.reduce(0) { sum, tap in
        place >= tap ? sum + taps[tap] * voice[place - tap] : sum
      }
    }
  }

  @Test func theEnrolledVoiceIsToldFromAnother() async throws {
    let engine = try Self.engine(Self.settings)
    engine.beginEnrollment()
    let near = try await Voices.near.value
    _ = Self.process(near, engine)
    let voiceprint = engine.enrolledVoiceprint
    #expect(engine.likeness == nil)
    for (samples, isEnrolled) in [(near, true), (try await Voices.far(seconds: 10), false)] {
      let engine = try Self.engine(Self.isolating)
      engine.isolate(voiceprint)
      var likenesses: [Float] = []
      Self.process(samples, engine) { if let found = engine.likeness { likenesses.append(found) } }
      #expect(likenesses.count > samples.count / Self.format.rate.samplesPerFrame / 3)
      let mean = likenesses.reduce(0, +) / Float(likenesses.count)
      #expect(isEnrolled ? mean > 0.6 : mean < 0.4, "\(mean)")
      _ = Self.process([Float](repeating: 0, count: 16_000), engine)
      #expect(engine.likeness == nil)
    }
  }

  @Test func featuresDoNotDependOnTheLevel() {
    var loud = IsolationFeatures(kernels: .best)
    var soft = IsolationFeatures(kernels: .best)
    let memory = FloatBuffer(3 * Bands.count)
    let (powers, softer, gains) = (
      memory.start, memory.start + Bands.count, memory.start + 2 * Bands.count
    )
    gains.update(repeating: 1, count: Bands.count)
    for frame in 0..<400 {
      for band in 0..<Bands.count {
        powers[band] = 1e-3 * (1 + Float((frame * 7 + band * 3) % 11))
        softer[band] = powers[band] / 100
      }
      loud.compute(powers, gains: gains)
      soft.compute(softer, gains: gains)
    }
    for index in 0..<IsolationFeatures.count {
      #expect(abs(loud.current[index] - soft.current[index]) < 1e-3)
    }
  }

  @Test func aVoiceprintWithoutADirectionIsNone() {
    var likeness = VoiceLikeness()
    func isEnrolled(after voiceprint: [Float]?) -> Bool {
      likeness.enroll(voiceprint)
      return likeness.isEnrolled
    }
    #expect(!isEnrolled(after: [Float](repeating: 0, count: VoiceEncoder.count)))
    #expect(isEnrolled(after: (0..<VoiceEncoder.count).map(Float.init)))
    #expect(!isEnrolled(after: nil))
  }
}
