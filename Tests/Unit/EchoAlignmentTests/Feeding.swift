import AcousticSimulator
import AudioCore
import EchoAlignment
import TestAudio
import Testing

/// Calls `body` with each whole frame of two signals of the same rate.
func forEachFrame(
  _ microphone: [Float], _ reference: [Float], _ rate: SampleRate,
  _ body: (_ microphone: borrowing Frame, _ reference: borrowing Frame) -> Void
) {
  let size = rate.samplesPerFrame
  let first = Frame(rate: rate, channelCount: 1)
  let second = Frame(rate: rate, channelCount: 1)
  for frame in 0..<(min(microphone.count, reference.count) / size) {
    for index in 0..<size {
      first.plane(0)[index] = microphone[frame * size + index]
      second.plane(0)[index] = reference[frame * size + index]
    }
    body(first, second)
  }
}

/// The output of an aligner for two signals.
struct AlignerRun {
  var output: [Float] = []
  /// The frames at which the echo was found at another lag.
  var moves: [Int] = []
  var status = AlignmentStatus()

  private let reference: [Float]
  private let rate: SampleRate

  init(
    _ microphone: [Float], _ reference: [Float], rate: SampleRate = .hz16000,
    eachFrame: (_ aligner: inout ReferenceAligner, _ frame: Int) -> Void = { _, _ in }
  ) throws {
    self.reference = reference
    self.rate = rate
    var aligner = try ReferenceAligner(
      microphone: rate, reference: rate, referenceChannelCount: 1)
    let aligned = Frame(rate: rate, channelCount: 1)
    var frame = 0
    forEachFrame(microphone, reference, rate) { microphone, reference in
      eachFrame(&aligner, frame)
      let change = aligner.process(
        microphone: microphone, reference: reference, into: aligned)
      if change != .none {
        moves.append(frame)
      }
      frame += 1
      output.append(contentsOf: aligned.plane(0))
    }
    status = aligner.status
  }

  /// The delay of the reference at the end in milliseconds, measured in the output.
  var heldBack: Double {
    let (count, longest) = (rate.hertz / 4, rate.hertz * 3 / 4)
    let start = output.count - count - longest
    let samples = lag(
      of: Array(output[start...]), behind: Array(reference[start..<start + count]), limit: longest)
    return Double(samples) * 1000 / Double(rate.hertz)
  }

  /// The time in milliseconds by which the reference leads the echo at the end.
  var lead: Double {
    get throws { try found(status.echoDelay).inMilliseconds - heldBack }
  }
}

/// Returns syllables of noise that is unrelated to the noise of `Signals`, whose seeds are similar.
func chatter(_ count: Int, seed: UInt32) -> [Float] {
  var noise = SeededNoise(seed)
  return (0..<count).map { index -> Float in
    let phase = Float(index % 3700) / 3700
    return 0.3 * noise.next() * max(0, phase * (1 - 1.3 * phase))
  }
}

/// Returns the value. `#expect` and `#require` cannot copy the noncopyable value that has it.
func value<Value>(_ value: Value) -> Value { value }
func found<Value>(_ value: Value?) throws -> Value { try #require(value) }

extension Duration {
  var inMilliseconds: Double { self / .milliseconds(1) }
}
