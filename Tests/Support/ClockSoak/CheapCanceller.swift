internal import AudioCore
internal import VoiceEngines

/// An engine that is fast enough for a day of audio: a normalised least-mean-squares filter of 48
/// ms and nothing else. It does not follow drift that the aligner leaves over.
final class CheapCanceller: VoiceEngine {
  static let identity = EngineIdentity(name: "cheap", version: "1")
  static let processingRates = [SampleRate.hz8000]
  static let bestReferenceLead = Duration.milliseconds(20)
  static let goodReferenceLeads = Duration.milliseconds(5) ... .milliseconds(36)

  private static let taps = 384
  private static let step: Float = 0.5
  private let filter: UnsafeMutablePointer<Float>
  /// The newest samples, as many as the filter has and one frame more. The newest one is last.
  private let history: UnsafeMutablePointer<Float>
  private var before: Float = 0
  private var after: Float = 0

  init(format: EngineFormat, settings: EngineSettings) {
    let count = Self.taps + format.rate.samplesPerFrame
    filter = .allocate(capacity: Self.taps)
    filter.initialize(repeating: 0, count: Self.taps)
    history = .allocate(capacity: count)
    history.initialize(repeating: 0, count: count)
  }

  deinit {
    filter.deallocate()
    history.deallocate()
  }

  static func supports(_ settings: EngineSettings, _ format: EngineFormat) -> Bool { true }

  static func latencySamples(_ format: EngineFormat) -> Int { 0 }

  static func makeSpeechDetector(rate: SampleRate) -> any SpeechDetector { Silence() }

  func apply(_ settings: EngineSettings, after samples: Int) {}

  func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    let size = microphone.sampleCount
    history.update(from: history + size, count: Self.taps)
    (history + Self.taps).update(from: reference.planePointers[0], count: size)
    let (heard, left) = (microphone.planePointers[0], output.planePointers[0])
    // In double precision: what is added to it is later taken off exactly.
    var power = 0.0
    for index in 0..<Self.taps { power += Double(history[index]) * Double(history[index]) }
    for index in 0..<size {
      let start = history + index + 1
      let (oldest, newest) = (Double(history[index]), Double(history[index + Self.taps]))
      power += newest * newest - oldest * oldest
      var sum = SIMD16<Float>()
      for tap in stride(from: 0, to: Self.taps, by: 16) {
        let played = UnsafeRawPointer(start + tap).loadUnaligned(as: SIMD16<Float>.self)
        sum += played * UnsafeRawPointer(filter + tap).loadUnaligned(as: SIMD16<Float>.self)
      }
      let error = heard[index] - sum.sum()
      left[index] = error
      let gain = Self.step * error / (Float(power) + 1e-3)
      for tap in stride(from: 0, to: Self.taps, by: 16) {
        let played = UnsafeRawPointer(start + tap).loadUnaligned(as: SIMD16<Float>.self)
        let changed =
          UnsafeRawPointer(filter + tap).loadUnaligned(as: SIMD16<Float>.self) + gain * played
        UnsafeMutableRawPointer(filter + tap).storeBytes(of: changed, as: SIMD16<Float>.self)
      }
    }
    before += (microphone.meanSquare - before) / 30
    after += (output.meanSquare - after) / 30
    let reduction = before > 1e-6 ? Decibels.level(meanSquare: before / max(after, 1e-12)) : nil
    return FrameFindings(speechProbability: 0, hasVoice: false, echoReduction: reduction)
  }

  var echoMetrics: EchoMetrics { EchoMetrics() }

  private final class Silence: SpeechDetector {
    func hasVoice(_ frame: borrowing Frame) -> Bool { false }
  }
}
