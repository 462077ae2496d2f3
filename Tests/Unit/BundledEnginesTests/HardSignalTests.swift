import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// Signals that are hard for signal processing. The output has to stay finite, and may not be louder
/// than the microphone by more than the gain that is set.
struct HardSignalTests {
  /// A microphone and a reference, of which one is hard.
  struct Signal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let microphone: [Float]
    let reference: [Float]
    /// The echo path, as the session reports it to the engine.
    var path: EchoConditions.Path = .unknown
  }

  private static let rate = SampleRate.hz16000
  private static let count = rate.hertz * 4
  private static let voice = Signals.babble(count, rate: rate, seed: 3)
  private static let played = Signals.babble(count, rate: rate, seed: 7)
  private static let silence = Signals.silence(count)

  private static func wave(period: Int, amplitude: Float) -> [Float] {
    (0..<count).map { $0 % period < period / 2 ? amplitude : -amplitude }
  }

  private static func constant(_ value: Float) -> [Float] {
    [Float](repeating: value, count: count)
  }

  private static let clicks = (0..<count).map { Float($0 % 4001 == 4000 ? 1 : 0) }

  static let signals = [
    Signal(testDescription: "silence", microphone: silence, reference: silence),
    Signal(testDescription: "silent microphone", microphone: silence, reference: played),
    Signal(
      testDescription: "square wave", microphone: wave(period: 64, amplitude: 1),
      reference: silence),
    Signal(
      testDescription: "square wave in both", microphone: wave(period: 64, amplitude: 1),
      reference: wave(period: 64, amplitude: 1)),
    Signal(
      testDescription: "slow square wave", microphone: wave(period: 1600, amplitude: 1),
      reference: played),
    Signal(testDescription: "DC", microphone: constant(1), reference: constant(1)),
    Signal(testDescription: "negative DC", microphone: constant(-1), reference: played),
    Signal(testDescription: "clicks", microphone: clicks, reference: silence),
    Signal(testDescription: "clicks in the reference", microphone: voice, reference: clicks),
    Signal(
      testDescription: "denormals", microphone: constant(.leastNormalMagnitude / 64),
      reference: constant(-.leastNormalMagnitude / 4096)),
    Signal(
      testDescription: "least samples", microphone: constant(.leastNonzeroMagnitude),
      reference: played),
    Signal(testDescription: "equal signals", microphone: played, reference: played),
    Signal(
      testDescription: "a reference whose echo never comes", microphone: voice, reference: played,
      path: .steady),
    Signal(
      testDescription: "reference 60 dB louder", microphone: played.map { $0 / 1000 },
      reference: played.map { $0 * 3 }),
    Signal(
      testDescription: "voice with a reference 60 dB louder", microphone: voice.map { $0 / 1000 },
      reference: played.map { $0 * 3 }),
    Signal(
      testDescription: "overdriven", microphone: voice.map { max(-1, min(1, $0 * 100)) },
      reference: played.map { max(-1, min(1, $0 * 100)) }),
  ]

  @Test(arguments: Candidate.all, signals)
  func theOutputIsFiniteAndNoLouderThanTheMicrophone(
    candidate: Candidate, signal: Signal
  ) throws {
    for settings in EngineSettings.stages {
      let run = try EngineRun(
        candidate.engine, settings, rate: Self.rate, microphone: [signal.microphone],
        reference: [signal.reference], path: signal.path)
      #expect(run.output[0].allSatisfy { $0.isFinite }, "\(settings)")
      let excess = excess(run.output[0].dropFirst(run.latencySamples), over: signal.microphone)
      // Gain control raises a signal to its target at most.
      let limit: Float = settings.gainTarget == nil ? 1 : 31
      #expect(excess.decibels <= limit, "\(excess), \(settings)")
      if let target = settings.gainTarget {
        #expect(excess.isQuieter(than: -Float(target) + 3), "\(excess), \(settings)")
      }
    }
  }

  @Test(arguments: Candidate.allWithRates, signals)
  func twoChannelsAtEachRateStayFiniteAndBelowFullScale(
    candidate: CandidateRate, signal: Signal
  ) throws {
    let run = try EngineRun(
      candidate.engine, .standard, rate: candidate.rate,
      microphone: [signal.microphone, signal.microphone.map { -$0 / 2 }],
      reference: [signal.reference, signal.reference], path: signal.path)
    #expect(run.output.joined().allSatisfy { $0.isFinite })
    // The session limits single samples above full scale.
    #expect(run.output.allSatisfy { level($0) <= 0 })
  }

  @Test(arguments: Candidate.allWithRates, EngineSettings.stages)
  func silenceGivesSilenceFromTheFirstSample(candidate: CandidateRate, settings: EngineSettings)
    throws
  {
    let silence = Signals.silence(candidate.rate.hertz / 2)
    let run = try EngineRun(
      candidate.engine, settings, rate: candidate.rate, microphone: [silence], reference: [silence])
    // Filters that split the bands of `webrtc-audio-processing` ring softly at 32 kHz.
    #expect(run.output[0].allSatisfy { abs($0) < 0.003 })
  }

  @Test(arguments: Candidate.all)
  func microphonesInOppositePhaseKeepTheVoice(candidate: Candidate) throws {
    func output(_ second: [Float]) throws -> [Float] {
      try EngineRun(
        candidate.engine, EngineSettings(echoSuppression: .moderate, noiseSuppression: .high),
        rate: Self.rate, microphone: [Self.voice, second], reference: [Self.silence]
      ).output[0].suffix(2 * Self.rate.hertz)
    }
    let difference = level(try output(Self.voice.map { -$0 })) - level(try output(Self.voice))
    #expect(abs(difference) < 1, "\(difference)")
  }

  @Test(arguments: Candidate.all, [EngineSettings.standard, EngineSettings(isBypassed: true)])
  func nothingButNaNIsSilenceAndAVoiceAfterItIsHeard(
    candidate: Candidate, settings: EngineSettings
  ) throws {
    let second = Self.rate.hertz
    let broken = [Float](repeating: .nan, count: second)
    let run = try EngineRun(
      candidate.engine, settings, rate: Self.rate, microphone: [broken + Self.voice],
      reference: [broken + Self.silence])
    let usual = try EngineRun(
      candidate.engine, settings, rate: Self.rate, microphone: [Self.voice],
      reference: [Self.silence])
    #expect(run.output[0].prefix(second).allSatisfy { $0 == 0 })
    // The start of a call also decides how much of its sound an engine takes for noise.
    let difference = level(run.output[0].suffix(second)) - level(usual.output[0].suffix(second))
    #expect(abs(difference) < 6, "\(difference)")
  }

  @Test(arguments: Candidate.all, [Float.nan, .infinity, -.infinity, 1e30])
  func anImpossibleSampleIsForgotten(candidate: Candidate, value: Float) throws {
    for isInMicrophone in [true, false] {
      var (microphone, reference) = (Self.voice, Self.played)
      if isInMicrophone { microphone[16_000] = value } else { reference[16_000] = value }
      let run = try EngineRun(
        candidate.engine, .standard, rate: Self.rate, microphone: [microphone],
        reference: [reference])
      let usual = try EngineRun(
        candidate.engine, .standard, rate: Self.rate, microphone: [Self.voice],
        reference: [Self.played])
      #expect(run.output[0].allSatisfy { $0.isFinite })
      let tail = Self.rate.hertz
      let difference = level(run.output[0].suffix(tail)) - level(usual.output[0].suffix(tail))
      #expect(abs(difference) < 6, "\(difference)")
    }
  }

  /// The largest excess of a signal.
  private struct Excess {
    /// The level above that of the microphone.
    var decibels: Float = -.infinity
    /// The levels of the output, in dBFS, where the output is louder than the microphone.
    var level: Float = -.infinity

    func isQuieter(than limit: Float) -> Bool { level < limit }
  }

  /// Compares pieces of 50 ms with the loudest piece of the microphone within 20 ms. Pieces 30 dB below
  /// the loudest one of the microphone do not count: a canceller that has not converged leaves them
  /// where the microphone falls silent.
  private func excess(_ output: ArraySlice<Float>, over microphone: [Float]) -> Excess {
    let hop = Self.rate.samplesPerFrame
    func levels(_ signal: some Collection<Float>) -> [Float] {
      let signal = Array(signal)
      return stride(from: 0, through: signal.count - 5 * hop, by: hop).map {
        level(signal[$0..<$0 + 5 * hop])
      }
    }
    let (before, after) = (levels(microphone), levels(output))
    var largest = Excess()
    // Below -70 dBFS, sounds are near the resolution of 16 bits.
    let floor = max(-70, (before.max() ?? Decibels.silence) - 30)
    for (piece, level) in after.enumerated() where level > floor {
      let around = max(0, piece - 2)...min(before.count - 1, piece + 2)
      let heard = before[around].max() ?? Decibels.silence
      largest.decibels = max(largest.decibels, level - heard)
      if level > heard + 1 { largest.level = max(largest.level, level) }
    }
    return largest
  }
}
