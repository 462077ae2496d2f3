internal import AudioCore
internal import EchoAlignment
internal import Synchronization

/// The values of the loudspeaker that other threads set and read, without a lock.
final class LoudspeakerControls: @unchecked Sendable {
  private let gainBits: Atomic<UInt32>
  private let least = Atomic<Int>(0)
  private let deviation = Atomic<Int>(0)
  private let underruns = Atomic<Int>(0)
  private let skipped = Atomic<Int64>(0)
  private let addedDelay = Atomic<Int64>(0)
  private let testStart = Atomic<Int64>(0)
  private let testPosition = Atomic<Int>(Int.max)
  private let testSound: [Float]

  /// Creates the controls. `volume` is in dB. `testSound` has the rate of the mix.
  init(volume: Double, testSound: [Float]) {
    gainBits = Atomic(Decibels.factor(Float(volume)).bitPattern)
    self.testSound = testSound
  }

  var gain: Float { Float(bitPattern: gainBits.load(ordering: .relaxed)) }

  /// The time in ns by which the sound is heard later than the device's times say.
  var delay: Int64 { addedDelay.load(ordering: .relaxed) }

  func setDelay(milliseconds: Int) {
    addedDelay.store(Int64(milliseconds) * 1_000_000, ordering: .relaxed)
  }

  /// Starts the test sound with the next frame.
  func startTest() {
    testStart.store(0, ordering: .relaxed)
    testPosition.store(0, ordering: .releasing)
  }

  /// The time at which the first sample of the test sound is heard, in ns of the monotonic clock.
  /// Nil until it is known.
  var testHeardAt: Int64? {
    let time = testStart.load(ordering: .acquiring)
    return time == 0 ? nil : time
  }

  /// Adds the test sound to a frame. Runs per frame: no allocation, lock, log or await.
  func addTestSound(_ frame: borrowing Frame, heardAt: Int64) {
    let position = testPosition.load(ordering: .acquiring)
    guard position < testSound.count else { return }
    if position == 0 { testStart.store(heardAt, ordering: .releasing) }
    let count = min(frame.sampleCount, testSound.count - position)
    testSound.withUnsafeBufferPointer { sound in
      for channel in 0..<frame.channelCount {
        let plane = frame.planePointers[channel]
        for index in 0..<count {
          plane[index] = max(-1, min(1, plane[index] + sound[position + index]))
        }
      }
    }
    testPosition.store(position + count, ordering: .relaxed)
  }

  /// Publishes the status of the buffer. Runs per frame: no allocation, lock, log or await.
  func publish(_ status: PlayoutBuffer.Status) {
    least.store(status.leastLevel, ordering: .relaxed)
    deviation.store(Int(status.deviation * 10), ordering: .relaxed)
    underruns.store(status.underrunCount, ordering: .relaxed)
    skipped.store(status.skipped, ordering: .relaxed)
  }

  /// The lowest level of the buffer in the last second, in samples.
  var leastLevel: Int { least.load(ordering: .relaxed) }

  /// The rate of the microphone's clock relative to the loudspeaker's, in parts per million.
  /// Positive if the loudspeaker's clock is slower.
  var driftPPM: Double { Double(deviation.load(ordering: .relaxed)) / 10 }

  var underrunCount: Int { underruns.load(ordering: .relaxed) }

  var skippedSamples: Int64 { skipped.load(ordering: .relaxed) }
}
