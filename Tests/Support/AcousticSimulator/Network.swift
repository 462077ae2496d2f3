/// The order in which frames of the microphone and the reference reach a service.
public enum Network: Sendable {
  /// Each frame arrives when it is captured or played.
  case steady
  /// The connection stops for this many milliseconds again and again. Then all waiting frames
  /// arrive together.
  case bursts(Int)
  /// Only the reference arrives in bursts of this many milliseconds, as from a device with long
  /// periods.
  case referenceBursts(Int)
  /// Each frame of the reference is late by a random time of up to this many milliseconds.
  case referenceJitter(Int)

  public enum Input: Sendable { case microphone, reference }

  /// Returns the order of arrival of `frames` frames of both inputs. Frames of one input stay in
  /// order.
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
