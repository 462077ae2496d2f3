internal import AudioCore
internal import Foundation

/// A test that finds a chirp from the loudspeaker in the microphone's signal.
public struct ChirpTest: Sendable {
  /// The result of a test.
  public struct Result: Sendable, Equatable {
    /// The level of the chirp at the microphone, in dBFS.
    public var level: Double
    /// The level of the microphone before the chirp, in dBFS.
    public var noise: Double
    /// The time from loudspeaker to microphone in ms, according to the devices' times. Never
    /// negative. Nil if the chirp was not heard.
    public var delay: Double?
    /// The attenuation of the chirp by the room, in dB. Nil if it was not heard.
    public var echoLoss: Double?
  }

  /// The level of the chirp in dBFS.
  static let level = -15.0
  private static let duration = 0.2
  private static let silenceBefore = 0.2
  /// The possible error of the devices' times in ms. A chirp that seems to be heard before it was
  /// played, by more than this error, does not count as heard.
  private static let clockError = 5

  /// Returns the test sound: silence, during which the room noise is measured, and then the chirp.
  static func sound(_ rate: SampleRate) -> [Float] {
    let silence = [Float](repeating: 0, count: Int(silenceBefore * Double(rate.hertz)))
    return silence + chirp(rate)
  }

  /// Returns a sine sweep from 500 to 3,500 Hz with faded ends.
  private static func chirp(_ rate: SampleRate) -> [Float] {
    let count = Int(duration * Double(rate.hertz))
    let amplitude = pow(10, level / 20)
    return (0..<count).map { index in
      let time = Double(index) / Double(rate.hertz)
      let phase = 2 * Double.pi * (500 * time + 1500 * time * time / duration)
      let edge = min(1, min(time, duration - time) / 0.01)
      return Float(amplitude * edge * sin(phase))
    }
  }

  /// Finds the chirp. `capturedAt` is the time of the first captured sample, and `heardAt` the time
  /// at which the first sample of the test sound is heard, both in ns.
  static func analyse(
    _ samples: [Float], rate: SampleRate, capturedAt: Int64, heardAt: Int64
  ) -> Result {
    let chirp = chirp(rate)
    let begin = heardAt + Int64(silenceBefore * 1e9)
    let start = Int((begin - capturedAt) * Int64(rate.hertz) / 1_000_000_000)
    let noise = samples[..<min(samples.count, max(1, start))]
    let (lag, gain, likeness) = bestMatch(
      samples, chirp, from: max(0, start - rate.hertz * clockError / 1000))
    let isHeard = likeness > 0.2
    return Result(
      level: isHeard ? level + 20 * log10(max(1e-6, gain)) : decibels(samples),
      noise: decibels(Array(noise)),
      delay: isHeard ? Double(max(0, lag - start)) * 1000 / Double(rate.hertz) : nil,
      echoLoss: isHeard ? -20 * log10(max(1e-6, gain)) : nil)
  }

  /// Returns the position of the best match, its level, and its similarity to the chirp, 0...1.
  private static func bestMatch(
    _ samples: [Float], _ chirp: [Float], from first: Int
  ) -> (lag: Int, gain: Double, likeness: Double) {
    let energy = chirp.reduce(0.0) { $0 + Double($1 * $1) }
    var best = (lag: first, gain: 0.0, likeness: 0.0)
    guard first + chirp.count < samples.count else { return best }
    samples.withUnsafeBufferPointer { samples in
      chirp.withUnsafeBufferPointer { chirp in
        for lag in first..<(samples.count - chirp.count) {
          var product: Float = 0
          var power: Float = 0
          for index in 0..<chirp.count {
            let sample = samples[lag + index]
            product += sample * chirp[index]
            power += sample * sample
          }
          let likeness = abs(Double(product)) / (energy * Double(max(power, 1e-9))).squareRoot()
          if likeness > best.likeness {
            best = (lag, abs(Double(product)) / energy, likeness)
          }
        }
      }
    }
    return best
  }

  private static func decibels(_ samples: [Float]) -> Double {
    let sum = samples.reduce(0.0) { $0 + Double($1 * $1) }
    return max(-120, 10 * log10(max(1e-12, sum / Double(max(1, samples.count)))))
  }
}
