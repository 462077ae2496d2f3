/// A switch between two versions of one signal that are aligned in time. A change is a linear
/// cross-fade over one frame. Runs per frame: no allocation, lock, log or await.
public struct CrossfadeSwitch: Sendable {
  private var wasOn: Bool
  public var isOn: Bool

  public init(isOn: Bool) {
    self.isOn = isOn
    wasOn = isOn
  }

  /// Whether the next output contains the version that is heard while the switch is on.
  public var needsOn: Bool { isOn || wasOn }

  /// Whether the next output contains only the version that is heard while the switch is on.
  public var needsOnlyOn: Bool { isOn && wasOn }

  /// Copies `on` or `off` to `output`, or fades from one to the other.
  public mutating func select(
    on: borrowing Frame, off: borrowing Frame, into output: borrowing Frame
  ) {
    switch (wasOn, isOn) {
    case (true, true): output.copy(on)
    case (false, false): output.copy(off)
    case (false, true): fade(from: off, to: on, into: output)
    case (true, false): fade(from: on, to: off, into: output)
    }
    wasOn = isOn
  }

  private func fade(
    from old: borrowing Frame, to new: borrowing Frame, into output: borrowing Frame
  ) {
    let step = 1 / Float(output.sampleCount)
    for channel in 0..<output.channelCount {
      let (before, after) = (old.plane(channel), new.plane(channel))
      let target = output.plane(channel)
      for index in 0..<output.sampleCount {
        target[index] = before[index] + (after[index] - before[index]) * Float(index + 1) * step
      }
    }
  }
}
