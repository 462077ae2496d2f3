internal import AudioCore

/// The last samples of a signal, one after another in memory.
struct SampleHistory: ~Copyable {
  /// The number of samples before the last frame that can be read.
  let length: Int
  private let frame: Int
  private let samples: FloatBuffer
  private var end: Int

  /// The buffer has room for some frames, so that its samples are moved seldom.
  private static let spareFrames = 8

  init(length: Int, frame: Int) {
    self.length = length
    self.frame = frame
    samples = FloatBuffer(length + Self.spareFrames * frame)
    end = length
  }

  /// Makes room for a frame, and returns where its samples are to be written.
  mutating func nextFrame() -> UnsafeMutablePointer<Float> {
    if end + frame > samples.count {
      samples.start.update(from: samples.start + end - length, count: length)
      end = length
    }
    end += frame
    return samples.start + end - frame
  }

  /// Makes the history silent.
  func clear() { samples.clear() }

  /// The first sample of the last frame. `length` samples before it are valid.
  var last: UnsafePointer<Float> { UnsafePointer(samples.start + end - frame) }
}
