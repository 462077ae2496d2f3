internal import AudioCore
internal import VoiceEngines

/// A voice that is learnt: the sum of the encoder's outputs for its frames.
struct VoiceprintSum: ~Copyable {
  private let sum = FloatBuffer(VoiceEncoder.count)
  private var frames = 0
  private var sumOfLengths: Float = 0

  /// Adds the encoder's output for a frame, until there are `most` of them. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func add(_ direction: UnsafePointer<Float>, most: Int) {
    guard frames < most else { return }
    frames += 1
    var square: Float = 0
    for index in 0..<VoiceEncoder.count {
      sum.start[index] += direction[index]
      square += direction[index] * direction[index]
    }
    sumOfLengths += square.squareRoot()
  }

  mutating func clear() {
    sum.clear()
    (frames, sumOfLengths) = (0, 0)
  }

  /// The frames and how alike they are: the length of the sum by the sum of the lengths.
  var progress: EnrollmentProgress {
    EnrollmentProgress(
      frames: frames, consistency: sumOfLengths > 0 ? min(length / sumOfLengths, 1) : 0)
  }

  /// The voiceprint: the direction of the sum. Allocates.
  var voiceprint: [Float] {
    let length = length
    guard length > 0 else { return [] }
    return (0..<VoiceEncoder.count).map { sum.start[$0] / length }
  }

  private var length: Float {
    FloatBuffer.product(sum.start, sum.start, VoiceEncoder.count).squareRoot()
  }
}
