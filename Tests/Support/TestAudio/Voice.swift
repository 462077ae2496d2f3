import Foundation

extension Packets {
  /// Returns a substitute for a sustained vowel, which a decoder can follow better than noise: a
  /// sawtooth with a moving pitch and level. `rate` is in Hz.
  public static func voice(_ count: Int, rate: Int) -> [Float] {
    var phase = 0.0
    return (0..<count).map { index in
      let time = 2 * Double.pi * Double(index) / Double(rate)
      phase += (140 + 50 * sin(3.1 * time) + 20 * sin(7.3 * time)) / Double(rate)
      phase -= phase.rounded(.down)
      return Float(0.25 * (1 - 2 * phase) * (0.6 + 0.4 * sin(2.3 * time)))
    }
  }
}
