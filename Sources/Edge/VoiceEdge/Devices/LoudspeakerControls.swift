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
  private let testSound: AddedSound
  private let chime: AddedSound

  /// Creates the controls. `volume` is in dB. The sounds have the rate of the mix.
  init(volume: Double, testSound: [Float], chime: [Float] = []) {
    gainBits = Atomic(Decibels.factor(Float(volume)).bitPattern)
    self.testSound = AddedSound(testSound)
    self.chime = AddedSound(chime)
  }

  var gain: Float { Float(bitPattern: gainBits.load(ordering: .relaxed)) }

  /// The time in ns by which the sound is heard later than the device's times say.
  var delay: Int64 { addedDelay.load(ordering: .relaxed) }

  func setDelay(milliseconds: Int) {
    addedDelay.store(Int64(milliseconds) * 1_000_000, ordering: .relaxed)
  }

  /// Starts the test sound with the next frame.
  func startTest() { testSound.start() }

  /// Starts the chime with the next frame.
  func startChime() { chime.start() }

  /// The time at which the first sample of the test sound is heard, in ns of the monotonic clock.
  /// Nil until it is known.
  var testHeardAt: Int64? { testSound.heardAt }

  /// Adds the sounds that have been started to a frame. Runs per frame: no allocation, lock, log or
  /// await.
  func addSounds(_ frame: borrowing Frame, heardAt: Int64) {
    testSound.add(to: frame, heardAt: heardAt)
    chime.add(to: frame, heardAt: heardAt)
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
