#if canImport(Glibc)
  internal import Glibc
#endif

/// A scene with a loudspeaker, a microphone, a person and faults. It produces the reference and the
/// microphone signal that a service would receive. The same scene always produces the same signals.
public struct EchoScene: Sendable {
  /// The sample rate in Hz.
  public var rate: Int
  public var room = Room.office
  /// The changes of the room, as when somebody moves or a door opens. Times are in seconds.
  public var roomChanges: [(at: Double, to: Room)] = []
  /// The delay of the echo after the reference at the start, in seconds.
  public var lag = 0.04
  /// The growth of the lag in parts per million: the loudspeaker's clock is slower by this amount.
  public var driftPPM = 0.0
  /// The correction of the drift by the client: from the time `at` in seconds on, it plays faster
  /// than its loudspeaker's clock by `ppm`.
  public var compensation: (at: Double, ppm: Double)?
  /// The times in seconds during which the loudspeaker plays nothing.
  public var silences: [Range<Double>] = []
  /// The sudden changes of the lag, in seconds.
  public var jumps: [(at: Double, by: Double)] = []
  /// The attenuation from the reference to the echo in dB.
  public var echoReturnLoss: Float = 6
  /// The level of white noise at the microphone in dBFS. Nil for no noise.
  public var noiseLevel: Float? = -65
  /// The resolution of the microphone's converter. Signals below half of its least significant bit
  /// become silence. Nil for unlimited resolution.
  public var converterBits: Int?
  /// The times in seconds during which the reference is silent although the loudspeaker plays.
  public var referenceGaps: [Range<Double>] = []
  /// The times in seconds during which the microphone delivers nothing. Its signal is silent then.
  public var microphoneGaps: [Range<Double>] = []
  /// The times in seconds during which a switch or a noise gate of the microphone's own silences it.
  public var microphoneMutes: [Range<Double>] = []

  public init(rate: Int) { self.rate = rate }

  /// The signals that a scene produces. All have the same length.
  public struct Recording: Sendable {
    public var reference: [Float]
    public var microphone: [Float]
    /// The echo and the near end that the microphone signal contains.
    public var echo: [Float]
    public var near: [Float]
  }

  /// Produces the signals. `near` has the same level in the microphone as here.
  public func record(farEnd: [Float], near: [Float] = []) -> Recording {
    let gain = powf(10, -echoReturnLoss / 20)
    let echo = echo(of: played(farEnd)).map { $0 * gain }
    let nearEnd =
      near.prefix(echo.count) + [Float](repeating: 0, count: max(0, echo.count - near.count))
    var noise = SeededNoise(77)
    // The power of uniform noise is a third of the square of its amplitude.
    let amplitude = noiseLevel.map { powf(10, $0 / 20) * Float(3).squareRoot() } ?? 0
    var reference = farEnd
    silence(&reference, referenceGaps)
    var microphone = zip(echo, nearEnd).map { $0 + $1 + amplitude * noise.next() }
    silence(&microphone, microphoneGaps + microphoneMutes)
    if let converterBits {
      let scale = Float(1 << (converterBits - 1))
      microphone = microphone.map { ($0 * scale).rounded() / scale }
    }
    return Recording(
      reference: reference, microphone: microphone, echo: echo, near: Array(nearEnd))
  }

  private func silence(_ samples: inout [Float], _ gaps: [Range<Double>]) {
    for gap in gaps {
      let missing = Int(gap.lowerBound * Double(rate))..<Int(gap.upperBound * Double(rate))
      for index in missing.clamped(to: samples.indices) { samples[index] = 0 }
    }
  }

  /// Returns the lag in seconds at a time in seconds.
  public func lag(at time: Double) -> Double {
    let made = compensation.map { $0.ppm * max(0, time - $0.at) } ?? 0
    let drifted = lag + (driftPPM * time - made) * 1e-6
    return jumps.reduce(drifted) { time >= $1.at ? $0 + $1.by : $0 }
  }

  private func echo(of played: [Float]) -> [Float] {
    var echo = convolve(played, room.response(rate))
    for change in roomChanges {
      let other = convolve(played, change.to.response(rate))
      let begin = Int(change.at * Double(rate))
      for index in echo.indices.dropFirst(begin) {
        // Cross-fades between two rooms within 50 ms.
        let share = min(1, Float(index - begin) / Float(rate / 20))
        echo[index] += share * (other[index] - echo[index])
      }
    }
    return echo
  }

  /// Returns the signal that the loudspeaker plays at the time of each microphone sample.
  private func played(_ farEnd: [Float]) -> [Float] {
    farEnd.indices.map { index in
      let time = Double(index) / Double(rate)
      if silences.contains(where: { $0.contains(time) }) { return 0 }
      let position = Double(index) - lag(at: time) * Double(rate)
      let whole = Int(position.rounded(.down))
      let fraction = position - Double(whole)
      if fraction < 1e-9 { return farEnd.indices.contains(whole) ? farEnd[whole] : 0 }
      return interpolate(farEnd, whole, fraction)
    }
  }

  /// Interpolates with a Hann-windowed sinc of 48 taps.
  private func interpolate(_ signal: [Float], _ whole: Int, _ fraction: Double) -> Float {
    // The sines of all taps are equal except for their signs, which alternate.
    let sine = sin(Double.pi * fraction)
    var sum = 0.0
    for tap in max(-23, -whole)...max(max(-23, -whole), min(24, signal.count - 1 - whole)) {
      guard signal.indices.contains(whole + tap) else { continue }
      let x = Double(tap) - fraction
      let sinc = (tap.isMultiple(of: 2) ? -sine : sine) / (Double.pi * x)
      sum += Double(signal[whole + tap]) * sinc * (0.5 + 0.5 * cos(Double.pi * x / 24.5))
    }
    return Float(sum)
  }
}
