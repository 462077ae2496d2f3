internal import AcousticSimulator
internal import AudioCore

/// The output for a recording, frame by frame, and measures of its quality.
struct Score {
  /// The mean squares of the echo, the near end, the microphone and the output in each frame,
  /// aligned in time.
  private(set) var echo: [Float] = []
  private(set) var near: [Float] = []
  private(set) var microphone: [Float] = []
  private(set) var output: [Float] = []
  private(set) var hasVoice: [Bool] = []

  /// Creates a score. The output and the findings of voices are `latency` samples behind the
  /// recording.
  init(
    _ recording: EchoScene.Recording, _ rate: SampleRate, output samples: [Float], latency: Int,
    hasVoice verdicts: [Bool]
  ) {
    let size = rate.samplesPerFrame
    let count = min(recording.microphone.count, samples.count - latency) / size
    for frame in 0..<count {
      let range = frame * size..<(frame + 1) * size
      echo.append(meanSquare(recording.echo[range]))
      near.append(meanSquare(recording.near[range]))
      microphone.append(meanSquare(recording.microphone[range]))
      output.append(meanSquare(samples[range.lowerBound + latency..<range.upperBound + latency]))
      hasVoice.append(verdicts[min(frame + latency / size, verdicts.count - 1)])
    }
  }

  /// Returns the echo reduction in dB in a range of seconds.
  func reduction(_ seconds: Range<Double>) -> Float {
    let frames = Int(seconds.lowerBound * 100)..<min(Int(seconds.upperBound * 100), echo.count)
    let before = echo[frames].reduce(0, +)
    let after = output[frames].reduce(0, +)
    return Decibels.level(meanSquare: before) - Decibels.level(meanSquare: max(after, 1e-12))
  }

  /// Returns the lowest echo reduction in dB of any second with audible echo. A second begins at
  /// every half second.
  func leastReduction(_ seconds: Range<Double>) -> Float {
    stride(from: seconds.lowerBound, through: seconds.upperBound - 1, by: 0.5)
      .filter { begin in
        let frames = Int(begin * 100)..<min(Int(begin * 100) + 100, echo.count)
        return echo[frames].reduce(0, +) / Float(max(1, frames.count)) > 1e-5
      }
      .map { reduction($0..<$0 + 1) }.min() ?? .nan
  }

  /// Returns the percentage of frames in which the engine found a voice.
  func voiceShare(_ seconds: Range<Double>) -> Float {
    let frames = Int(seconds.lowerBound * 100)..<min(Int(seconds.upperBound * 100), hasVoice.count)
    return 100 * Float(hasVoice[frames].count { $0 }) / Float(frames.count)
  }

  /// Returns the number of seconds after `start` from which on the echo stays reduced by 25 dB, in
  /// every window of 300 ms that contains echo. Returns nil if it never does.
  func recovery(after start: Double, until end: Double) -> Double? {
    let times = stride(from: start, to: end - 0.5, by: 0.05)
    let lastBad = times.reversed().first { time -> Bool in
      let frames = Int(time * 100)..<Int(time * 100) + 30
      let level = echo[frames].reduce(0, +) / 30
      return level > 3e-5 && reduction(time..<time + 0.3) < 25
    }
    guard let lastBad else { return 0 }
    return lastBad + 0.35 < end - 0.3 ? lastBad + 0.3 - start : nil
  }

  /// Returns the change of the near end's level in dB, in frames in which the near end is at least
  /// `margin` above the echo.
  func nearChange(_ seconds: Range<Double>, over margin: Float) -> Float {
    let frames = nearFrames(seconds).filter { near[$0] > echo[$0] * Decibels.factor(2 * margin) }
    let before = frames.reduce(Float(0)) { $0 + near[$1] }
    let after = frames.reduce(Float(0)) { $0 + output[$1] }
    return Decibels.level(meanSquare: after) - Decibels.level(meanSquare: before)
  }

  /// Returns the percentage of frames with a near end in which the engine found a voice.
  func voiceFound(_ seconds: Range<Double>) -> Float {
    let frames = nearFrames(seconds)
    return 100 * Float(frames.count { hasVoice[$0] }) / Float(max(1, frames.count))
  }

  /// Returns the largest excess of the output's level over the microphone's, in dB, over 50 ms.
  func excess(_ seconds: Range<Double>) -> Float {
    (Int(seconds.lowerBound * 100)..<Int(seconds.upperBound * 100) - 5).map { frame -> Float in
      let before = microphone[max(0, frame - 2)..<frame + 7].max() ?? 0
      let after = output[frame..<frame + 5].reduce(0, +) / 5
      guard after > 1e-5 else { return -.infinity }
      return Decibels.level(meanSquare: after) - Decibels.level(meanSquare: before)
    }.max() ?? 0
  }

  /// Returns the frames in which the near end is within 25 dB of its loudest frame.
  private func nearFrames(_ seconds: Range<Double>) -> [Int] {
    let frames = Int(seconds.lowerBound * 100)..<min(Int(seconds.upperBound * 100), near.count)
    let loudest = near[frames].max() ?? 0
    return frames.filter { near[$0] > loudest * 0.003 }
  }
}

func meanSquare(_ samples: ArraySlice<Float>) -> Float {
  samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))
}
