/// In what order the frames of microphone and reference reach a service.
public enum Network: Sendable {
  /// Each as it was captured or played.
  case steady
  /// The connection stops and goes on, by milliseconds: all that waited comes at once.
  case bursts(Int)
  /// The reference alone comes in bursts, as from a device with long periods.
  case referenceBursts(Int)
  /// Each frame of the reference comes late by up to so many milliseconds.
  case referenceJitter(Int)

  public enum Input: Sendable { case microphone, reference }

  /// The inputs of so many frames, one after another. Within each input they stay in order.
  public func deliveries(frames: Int) -> [(input: Input, frame: Int)] {
    var noise = SeededNoise(5)
    var latest = 0.0
    var arrivals: [(time: Double, input: Input, frame: Int)] = []
    for frame in 0..<frames {
      let time = Double(10 * (frame + 1))
      latest = max(latest, referenceTime(time, &noise))
      arrivals.append((latest, .reference, frame))
      arrivals.append((microphoneTime(time), .microphone, frame))
    }
    let order = arrivals.indices.sorted {
      (arrivals[$0].time, $0) < (arrivals[$1].time, $1)
    }
    return order.map { (arrivals[$0].input, arrivals[$0].frame) }
  }

  private func microphoneTime(_ time: Double) -> Double {
    if case .bursts(let period) = self { next(time, period) } else { time }
  }

  private func referenceTime(_ time: Double, _ noise: inout SeededNoise) -> Double {
    switch self {
    case .steady: time
    case .bursts(let period), .referenceBursts(let period): next(time, period)
    case .referenceJitter(let most): time + Double(most) * Double(abs(noise.next()))
    }
  }

  private func next(_ time: Double, _ period: Int) -> Double {
    (time / Double(period)).rounded(.up) * Double(period)
  }
}
