/// A switch between two versions of one signal that are aligned in time. A change is a linear
/// cross-fade over 10 ms, which may begin at any sample. Runs per frame: no allocation, lock, log or
/// await.
public struct CrossfadeSwitch: Sendable {
  /// The last state, which may be still to come.
  public private(set) var isOn: Bool
  /// The turns to come.
  private var turns = WaitingValues<Bool>()
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
    turns.add(isOn, after: samples)
  }

  /// Whether the next output may contain the version that is heard while the switch is on.
  public var needsOn: Bool { target || !isSteady }

  /// Whether the next output contains only the version that is heard while the switch is on.
  public var needsOnlyOn: Bool { target && isSteady }

  private var isSteady: Bool { left == 0 && turns.isEmpty }

  /// Copies `on` or `off` to `output`, or fades from one to the other. `output` may be one of them.
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
      let end = min(turns.distance ?? size, size)
      if target {
        fade(from: off, to: on, sample..<end, into: output)
      } else {
        fade(from: on, to: off, sample..<end, into: output)
      }
      left = max(left - (end - sample), 0)
      sample = end
    }
    turns.advance(by: size)
  }

  /// Takes the turns that are due. A turn within a fade goes back from where that fade is.
  private mutating func turnNow(at sample: Int, fade size: Int) {
    while let turn = turns.popFirst(within: sample + 1) {
      if turn.value != target { (target, left) = (turn.value, size - left) }
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
