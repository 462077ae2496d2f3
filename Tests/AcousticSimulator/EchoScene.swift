#if canImport(Glibc)
  internal import Glibc
#endif

/// A loudspeaker, a microphone, a person, and what may go wrong between them: makes the reference and
/// the microphone that a service would get. The same every time.
public struct EchoScene: Sendable {
  /// In Hz.
  public var rate: Int
  public var room = Room.office
  /// Somebody moves, or a door opens: from a time in seconds on, the room is another.
  public var roomChanges: [(at: Double, to: Room)] = []
  /// Of the echo behind the reference, in seconds, at the start.
  public var lag = 0.04
  /// How fast the lag grows, in parts per million: the loudspeaker's clock is so much the slower.
  public var driftPPM = 0.0
  /// What the client does against that: from a time in seconds on it plays so many parts per million
  /// faster than by its loudspeaker's clock.
  public var compensation: (at: Double, ppm: Double)?
  /// When the loudspeaker plays nothing, in seconds.
  public var silences: [Range<Double>] = []
  /// Changes of the lag, in seconds.
  public var jumps: [(at: Double, by: Double)] = []
  /// From the reference to the echo, in decibels.
  public var echoReturnLoss: Float = 6
  /// Of white noise at the microphone, in dBFS; nil is none.
  public var noiseLevel: Float? = -65
  /// Of the microphone's converter: what is less than half of its least bit is silence. Nil is none.
  public var converterBits: Int?
  /// Where the reference is silence though the loudspeaker plays on, in seconds.
  public var referenceGaps: [Range<Double>] = []
  /// When nothing of the microphone comes, in seconds: it is silence here.
  public var microphoneGaps: [Range<Double>] = []

  public init(rate: Int) { self.rate = rate }

  /// What came of it: all of one length.
  public struct Recording: Sendable {
    public var reference: [Float]
    public var microphone: [Float]
    /// Parts of the microphone.
    public var echo: [Float]
    public var near: [Float]
  }

  /// `near` is as loud in the microphone as it is here.
  public func record(farEnd: [Float], near: [Float] = []) -> Recording {
    let gain = powf(10, -echoReturnLoss / 20)
    let echo = echo(of: played(farEnd)).map { $0 * gain }
    let nearEnd =
      near.prefix(echo.count) + [Float](repeating: 0, count: max(0, echo.count - near.count))
    var noise = SeededNoise(77)
    // Uniform noise has a third of its amplitude's square as power.
    let amplitude = noiseLevel.map { powf(10, $0 / 20) * Float(3).squareRoot() } ?? 0
    var reference = farEnd
    silence(&reference, referenceGaps)
    var microphone = zip(echo, nearEnd).map { $0 + $1 + amplitude * noise.next() }
    silence(&microphone, microphoneGaps)
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

  /// In seconds, at a time in seconds.
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
        // From one to the other in 50 ms.
        let share = min(1, Float(index - begin) / Float(rate / 20))
        echo[index] += share * (other[index] - echo[index])
      }
    }
    return echo
  }

  /// What the loudspeaker plays at the time of each sample of the microphone.
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

  /// A Hann-windowed sinc of 48 taps.
  private func interpolate(_ signal: [Float], _ whole: Int, _ fraction: Double) -> Float {
    // The sines of all taps are those of one, with alternating signs.
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
