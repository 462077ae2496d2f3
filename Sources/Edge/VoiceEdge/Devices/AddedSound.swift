internal import AudioCore
internal import Synchronization

/// A short sound that the loudspeaker plays over the mix when another thread asks for it.
final class AddedSound: Sendable {
  private let samples: [Float]
  private let began = Atomic<Int64>(0)
  private let position = Atomic<Int>(Int.max)

  /// Creates a sound with the rate of the mix.
  init(_ samples: [Float]) { self.samples = samples }

  /// Starts the sound with the next frame.
  func start() {
    began.store(0, ordering: .relaxed)
    position.store(0, ordering: .releasing)
  }

  /// The time at which the first sample is heard, in ns of the monotonic clock. Nil until it is known.
  var heardAt: Int64? {
    let time = began.load(ordering: .acquiring)
    return time == 0 ? nil : time
  }

  /// Adds the next part to a frame. Runs per frame: no allocation, lock, log or await.
  func add(to frame: borrowing Frame, heardAt: Int64) {
    let position = position.load(ordering: .acquiring)
    guard position < samples.count else { return }
    if position == 0 { began.store(heardAt, ordering: .releasing) }
    let count = min(frame.sampleCount, samples.count - position)
    samples.withUnsafeBufferPointer { sound in
      for channel in 0..<frame.channelCount {
        let plane = frame.planePointers[channel]
        for index in 0..<count {
          plane[index] = max(-1, min(1, plane[index] + sound[position + index]))
        }
      }
    }
    self.position.store(position + count, ordering: .relaxed)
  }
}
