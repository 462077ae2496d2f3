internal import AudioCore

/// Silences the processed output while the microphone is muted.
///
/// A sample of the microphone is output `latencySamples` later. The ramps are placed so that no muted
/// sample is heard: closing ends at the first muted sample, and opening begins at the first sample that
/// is not muted.
struct MuteGate {
  /// The length of a ramp. A ramp is shorter if the latency is.
  static let rampMilliseconds = 5

  private struct Turn {
    let sample: Int64
    let target: Float
  }

  private let latencySamples: Int64
  private let rampSamples: Int64
  private var gain: Float
  private var target: Float
  private var turns: [Turn] = []

  /// `latencySamples` is from the microphone to the output, in samples of the output.
  init(isOpen: Bool, latencySamples: Int, rate: SampleRate) {
    self.latencySamples = Int64(latencySamples)
    rampSamples = min(
      Int64(rate.hertz * Self.rampMilliseconds / 1000), self.latencySamples)
    gain = isOpen ? 1 : 0
    target = gain
  }

  /// Opens or closes from a sample of the microphone on, counted in samples of the output.
  /// Changes come in the order of their samples.
  mutating func turn(open: Bool, at sample: Int64) {
    let heard = sample + latencySamples
    turns.append(Turn(sample: open ? heard : heard - rampSamples, target: open ? 1 : 0))
  }

  /// Moves the last opening to a later sample, if it is still to come.
  mutating func openLater(at sample: Int64) {
    guard turns.last?.target == 1 else { return }
    turns.removeLast()
    turn(open: true, at: sample)
  }

  /// Lowers a frame in place, whose first sample has the given index.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether any sample was lowered.
  mutating func process(_ frame: borrowing Frame, firstSample: Int64) -> Bool {
    let end = firstSample + Int64(frame.sampleCount)
    var offset = 0
    var isLowered = false
    while offset < frame.sampleCount {
      while let turn = turns.first, turn.sample <= firstSample + Int64(offset) {
        target = turn.target
        turns.removeFirst()
      }
      let next = Int(min(turns.first?.sample ?? end, end) - firstSample)
      if scale(frame, offset..<next) { isLowered = true }
      offset = next
    }
    return isLowered
  }

  /// Moves the gain towards its target over a part of a frame.
  private mutating func scale(_ frame: borrowing Frame, _ range: Range<Int>) -> Bool {
    guard gain != 1 || target != 1 else { return false }
    let step = rampSamples > 0 ? 1 / Float(rampSamples) : 1
    var reached = gain
    for channel in 0..<frame.channelCount {
      let plane = frame.plane(channel)
      reached = gain
      for index in range {
        reached = target > reached ? min(target, reached + step) : max(target, reached - step)
        plane[index] *= reached
      }
    }
    gain = reached
    return true
  }
}
