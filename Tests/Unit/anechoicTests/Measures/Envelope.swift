import AudioCore
import TestAudio
import anechoic

/// The levels of somebody who talks, in dBFS for each frame of 10 ms: syllables of random lengths and
/// levels, and pauses.
struct Envelope {
  static let silence: Float = -90
  var levels: [Float]

  /// - Parameter talks: The share of the time with syllables.
  init(seconds: Int, loudest: Float, talks: Double = 0.8, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    levels = []
    while levels.count < 100 * seconds {
      let length = Int.random(in: 8...30, using: &random)
      let isPause = Double.random(in: 0..<1, using: &random) > talks
      let peak = isPause ? Self.silence : loudest - Float.random(in: 0...14, using: &random)
      for frame in 0..<length {
        // A syllable rises and falls by 12 dB.
        let place = abs(Float(frame) / Float(length) - 0.3)
        levels.append(isPause ? peak : peak - 17 * place)
      }
    }
    levels.removeLast(levels.count - 100 * seconds)
  }

  /// Returns the levels `frames` frames later and `gain` dB louder.
  func delayed(by frames: Int, gain: Float) -> [Float] {
    [Float](repeating: Self.silence, count: frames) + levels.dropLast(frames).map { $0 + gain }
  }
}

extension ProcessedCall {
  /// A call of these levels in dBFS, whose output follows the microphone by `delay` frames. The voice
  /// and the muted frames are those of the output.
  init(
    microphone: [Float], played: [Float], output: [Float], voice: [Bool],
    muted: [Bool]? = nil, delay: Int = 0
  ) {
    self.init(
      microphone: Self.powers(microphone), played: Self.powers(played),
      output: Self.powers(output), voice: voice,
      muted: muted ?? [Bool](repeating: false, count: voice.count),
      delay: .milliseconds(10 * delay))
  }

  private static func powers(_ levels: [Float]) -> [Float] {
    levels.map { Decibels.factor($0) * Decibels.factor($0) }
  }
}

/// Returns the level of two sounds together.
func sum(_ first: [Float], _ second: [Float]) -> [Float] {
  zip(first, second).map { first, second in
    let powers = [first, second].map { Decibels.factor($0) * Decibels.factor($0) }
    return Decibels.level(meanSquare: powers[0] + powers[1])
  }
}
