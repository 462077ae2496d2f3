internal import AudioCore

/// The cross-fade over 10 ms from the output by the former settings to that by the new ones.
struct SettingsFade {
  /// The sample of the present frame at which the fade begins, less than 0 where it began in the last
  /// frame. Nil while there is none.
  private var start: Int?

  var isActive: Bool { start != nil }

  mutating func begin(at sample: Int) { start = sample }

  /// Moves on to the next frame. Runs per frame: no allocation, lock, log or await.
  mutating func advance(by samples: Int) {
    guard let start else { return }
    self.start = start > 0 ? start - samples : nil
  }

  /// Fades a frame, which has the new output, from the former one. Runs per frame: no allocation, lock,
  /// log or await.
  func blend(_ former: borrowing Frame, into frame: borrowing Frame) {
    guard let start else { return }
    let step = 1 / Float(frame.sampleCount)
    for channel in 0..<frame.channelCount {
      let (old, new) = (former.planePointers[channel], frame.planePointers[channel])
      for index in 0..<frame.sampleCount {
        let share = min(max(Float(index - start + 1) * step, 0), 1)
        if share < 1 { new[index] = old[index] + (new[index] - old[index]) * share }
      }
    }
  }
}
