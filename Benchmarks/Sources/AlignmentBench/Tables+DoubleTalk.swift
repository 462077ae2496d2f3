internal import AcousticSimulator
internal import Alignment
internal import AudioCore
internal import Foundation

extension Tables {
  func doubleTalk() throws {
    print("### Double talk from the 8th second on, 16 s\n")
    print(
      "The change of the near end's level in frames where it stands 10 dB above the echo, in dB,")
    print("and over all its frames; its frames in which voice was found, in percent.\n")
    print("| lag ms | change where louder | change in all | voice found |")
    print("|---|---|---|---|")
    for lag in Self.lags {
      var scene = self.scene
      scene.lag = Double(lag) / 1000
      let near = [Float](repeating: 0, count: 8 * rate.hertz) + voices.near
      let recording = scene.record(farEnd: far(seconds: 16), near: near)
      let plain = try Trial(recording, rate, isAligned: false)
      let aligned = try Trial(recording, rate, isAligned: true, search: search, leads: leads)
      row([
        "\(lag)", pair(plain.nearChange(8..<16, over: 10), aligned.nearChange(8..<16, over: 10)),
        pair(plain.nearChange(8..<16, over: -99), aligned.nearChange(8..<16, over: -99)),
        pair(plain.voiceFound(8..<16), aligned.voiceFound(8..<16)),
      ])
    }
    print("")
  }
}

extension Trial {
  /// In decibels, over the frames where the near end is `margin` above the echo.
  func nearChange(_ seconds: Range<Double>, over margin: Float) -> Float {
    let frames = nearFrames(seconds).filter { near[$0] > echo[$0] * Decibels.factor(2 * margin) }
    let before = frames.reduce(Float(0)) { $0 + near[$1] }
    let after = frames.reduce(Float(0)) { $0 + output[$1] }
    return Decibels.level(meanSquare: after) - Decibels.level(meanSquare: before)
  }

  func voiceFound(_ seconds: Range<Double>) -> Float {
    let frames = nearFrames(seconds)
    let later = latencySamples * hasVoice.count / max(1, outputSamples.count)
    let found = frames.count { hasVoice[min($0 + later, hasVoice.count - 1)] }
    return 100 * Float(found) / Float(max(1, frames.count))
  }

  /// How much louder the output is than the microphone at most, over 50 ms, in decibels.
  func excess(_ seconds: Range<Double>) -> Float {
    (Int(seconds.lowerBound * 100)..<Int(seconds.upperBound * 100) - 5).map { frame -> Float in
      let before = microphone[max(0, frame - 2)..<frame + 7].max() ?? 0
      let after = output[frame..<frame + 5].reduce(0, +) / 5
      guard after > 1e-5 else { return -.infinity }
      return Decibels.level(meanSquare: after) - Decibels.level(meanSquare: before)
    }.max() ?? 0
  }

  /// Within 25 dB of the loudest.
  private func nearFrames(_ seconds: Range<Double>) -> [Int] {
    let frames = Int(seconds.lowerBound * 100)..<min(Int(seconds.upperBound * 100), near.count)
    let loudest = near[frames].max() ?? 0
    return frames.filter { near[$0] > loudest * 0.003 }
  }
}
