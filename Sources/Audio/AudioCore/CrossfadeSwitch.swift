/// A switch between two versions of one signal that are aligned in time. A change is a linear
/// cross-fade over 10 ms, which may begin at any sample. Runs per frame: no allocation, lock, log or
/// await.
public struct CrossfadeSwitch: Sendable {
  private struct Turn {
    /// The number of samples of the output before the turn.
    var distance = 0
    var isOn = false
  }

  /// More turns than these cannot wait: the last ones come at once.
  private static let capacity = 8

  /// The last state, which may be still to come.
  public private(set) var isOn: Bool
  /// The turns to come, in their order.
  private var turns = InlineArray<8, Turn>(repeating: Turn())
  private var turnCount = 0
  /// The state that is faded to.
  private var target: Bool
  /// The samples of the fade that are still to come.
  private var left = 0

  public init(isOn: Bool) {
    self.isOn = isOn
    target = isOn
  }

  /// Turns the switch on or off. The fade begins after `samples` of the output, and not before a turn
  /// that is to come.
  public mutating func turn(on isOn: Bool, after samples: Int = 0) {
    guard isOn != self.isOn else { return }
    self.isOn = isOn
    let last = turnCount == 0 ? 0 : turns[turnCount - 1].distance
    turnCount = min(turnCount + 1, Self.capacity)
    turns[turnCount - 1] = Turn(distance: max(samples, last), isOn: isOn)
  }

  /// Whether the next output may contain the version that is heard while the switch is on.
  public var needsOn: Bool { target || !isSteady }

  /// Whether the next output contains only the version that is heard while the switch is on.
  public var needsOnlyOn: Bool { target && isSteady }

  private var isSteady: Bool { left == 0 && turnCount == 0 }

  /// Copies `on` or `off` to `output`, or fades from one to the other.
  public mutating func select(
    on: borrowing Frame, off: borrowing Frame, into output: borrowing Frame
  ) {
    guard !isSteady else {
      if target { output.copy(on) } else { output.copy(off) }
      return
    }
    let size = output.sampleCount
    var sample = 0
    while sample < size {
      turnNow(at: sample, fade: size)
      let end = turnCount == 0 ? size : min(turns[0].distance, size)
      if target {
        fade(from: off, to: on, sample..<end, into: output)
      } else {
        fade(from: on, to: off, sample..<end, into: output)
      }
      left = max(left - (end - sample), 0)
      sample = end
    }
    for index in 0..<turnCount { turns[index].distance -= size }
  }

  /// Takes the turns that are due. A turn within a fade goes back from where that fade is.
  private mutating func turnNow(at sample: Int, fade size: Int) {
    while turnCount > 0, turns[0].distance <= sample {
      if turns[0].isOn != target { (target, left) = (turns[0].isOn, size - left) }
      turnCount -= 1
      for index in 0..<turnCount { turns[index] = turns[index + 1] }
    }
  }

  private func fade(
    from old: borrowing Frame, to new: borrowing Frame, _ samples: Range<Int>,
    into output: borrowing Frame
  ) {
    let step = 1 / Float(output.sampleCount)
    let passed = output.sampleCount - left - samples.lowerBound
    for channel in 0..<output.channelCount {
      let (before, after) = (old.planePointers[channel], new.planePointers[channel])
      let target = output.planePointers[channel]
      for index in samples {
        let share = min(Float(passed + index + 1) * step, 1)
        target[index] =
          share < 1 ? before[index] + (after[index] - before[index]) * share : after[index]
      }
    }
  }
}
