internal import AudioCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// How alike the voice of a frame and an enrolled voice are, as inputs of the isolation network: 1 if
/// a voice is enrolled, how much voice the frame has, and the cosine between the voiceprint and the
/// encoder's output for this frame, its mean of the last 100 ms, and that of the last second. All are
/// 0 if no voice is enrolled.
struct VoiceLikeness: ~Copyable {
  static let count = 5
  private static let fast: Float = 0.1
  private static let slow: Float = 0.01
  /// The least length that a vector counts with.
  private static let leastLength: Float = 1e-4

  private let memory = FloatBuffer(
    3 * VoiceEncoder.count + 2 * Kernels.padded(VoiceLikeness.count))
  private var voiceprint: UnsafeMutablePointer<Float> { memory.start }
  private var fastMean: UnsafeMutablePointer<Float> { memory.start + VoiceEncoder.count }
  private var slowMean: UnsafeMutablePointer<Float> { memory.start + 2 * VoiceEncoder.count }
  private var values: UnsafeMutablePointer<Float> { memory.start + 3 * VoiceEncoder.count }
  private(set) var isEnrolled = false

  /// The values of the last frame.
  var current: UnsafePointer<Float> { UnsafePointer(values) }

  /// The values without an enrolled voice.
  var ofNobody: UnsafePointer<Float> { UnsafePointer(values + Kernels.padded(Self.count)) }

  /// The cosine between the voiceprint and the mean of the last second.
  var ofLastSecond: Float { values[4] }

  /// Sets the voiceprint of the enrolled voice, or none. A voiceprint without a direction is none.
  mutating func enroll(_ new: [Float]?) {
    reset()
    isEnrolled = false
    guard let new else { return }
    precondition(new.count == VoiceEncoder.count, "a voiceprint has \(VoiceEncoder.count) values")
    let length = Self.length(new)
    guard length.isFinite, length > Self.leastLength else { return }
    for index in new.indices { voiceprint[index] = new[index] / length }
    isEnrolled = true
  }

  /// Forgets the frames, but not the voiceprint. Runs per frame: no allocation, lock, log or await.
  func reset() {
    fastMean.update(repeating: 0, count: 2 * VoiceEncoder.count)
    values.update(repeating: 0, count: Self.count)
  }

  /// Computes the values for the output of the encoder for a frame. Runs per frame: no allocation,
  /// lock, log or await.
  func compute(_ direction: UnsafePointer<Float>) {
    for index in 0..<VoiceEncoder.count {
      fastMean[index] += Self.fast * (direction[index] - fastMean[index])
      slowMean[index] += Self.slow * (direction[index] - slowMean[index])
    }
    values[0] = 1
    values[1] = tanh(Self.length(direction))
    values[2] = cosine(direction)
    values[3] = cosine(fastMean)
    values[4] = cosine(slowMean)
  }

  private func cosine(_ vector: UnsafePointer<Float>) -> Float {
    FloatBuffer.product(vector, voiceprint, VoiceEncoder.count)
      / max(Self.length(vector), Self.leastLength)
  }

  private static func length(_ vector: UnsafePointer<Float>) -> Float {
    FloatBuffer.product(vector, vector, VoiceEncoder.count).squareRoot()
  }
}
