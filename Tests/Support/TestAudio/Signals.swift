public import AudioCore
internal import Glibc

/// Synthetic signals for tests. They are the same on every run.
public enum Signals {
  /// Returns white noise, uniform in ±`amplitude`.
  public static func noise(_ count: Int, amplitude: Float = 0.1, seed: UInt32 = 1) -> [Float] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return (Float(state >> 8) / Float(1 << 23) - 1) * amplitude
    }
  }

  /// Returns a substitute for speech: noise in syllables of 125 ms, four a second, through a
  /// low-pass filter.
  public static func babble(
    _ count: Int, rate: SampleRate, amplitude: Float = 0.3, seed: UInt32 = 1
  ) -> [Float] {
    let syllable = rate.hertz / 4
    var smoothed: Float = 0
    return noise(count, amplitude: amplitude, seed: seed).enumerated().map { index, sample in
      smoothed += 0.5 * (sample - smoothed)
      let phase = Float(index % syllable) / Float(syllable)
      return phase < 0.5 ? smoothed * 4 * phase * (1 - 2 * phase) * 2 : 0
    }
  }

  /// Returns vowels in syllables of 200 ms, four a second: harmonics of a falling pitch, louder near the
  /// formants of the vowel. Networks take it for a voice.
  public static func vowels(
    _ count: Int, rate: SampleRate, amplitude: Float = 0.3
  ) -> [Float] {
    let formants: [[Float]] = [
      [700, 1200, 2600], [300, 2300, 3000], [500, 900, 2500], [400, 1800, 2600],
    ]
    let syllable = rate.hertz / 4
    var angle: Float = 0
    return (0..<count).map { index in
      let place = Float(index % syllable) / Float(syllable)
      let pitch = 150 - 30 * place
      angle = (angle + 2 * .pi * pitch / Float(rate.hertz)).truncatingRemainder(dividingBy: 2 * .pi)
      guard place < 0.8 else { return 0 }
      let sum = (1...23).reduce(Float(0)) { sum, harmonic in
        let frequency = Float(harmonic) * pitch
        let resonance = formants[index / syllable % formants.count].reduce(Float(0.02)) {
          let distance = (frequency - $1) / 90
          return $0 + 1 / (1 + distance * distance)
        }
        return sum + resonance * sin(Float(harmonic) * angle)
      }
      let swell = sin(.pi * place / 0.8)
      return amplitude / 4 * swell * swell * sum
    }
  }

  public static func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

  /// Returns `signal` with the amplitude multiplied by `gain`, delayed by `delay` samples.
  public static func echo(of signal: [Float], delay: Int, gain: Float) -> [Float] {
    (silence(delay) + signal.dropLast(delay)).map { $0 * gain }
  }
}

/// Returns encoded, interleaved samples of planes with the same length.
public func encode(_ planes: [[Float]], _ encoding: SampleEncoding) -> [UInt8] {
  var bytes: [UInt8] = []
  for index in 0..<(planes.first?.count ?? 0) {
    for plane in planes {
      switch encoding {
      case .s16:
        let value = Int16(max(-32768, min(32767, (plane[index] * 32768).rounded())))
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
      case .f32:
        withUnsafeBytes(of: plane[index].bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
  }
  return bytes
}

/// Returns the planes of encoded, interleaved samples.
public func decode(_ bytes: [UInt8], _ format: AudioFormat) -> [[Float]] {
  (0..<format.channelCount).map { channel in
    bytes.withUnsafeBytes { bytes in
      let count = bytes.count / format.bytesPerSampleFrame
      var plane = [Float](repeating: 0, count: count)
      _ = plane.withUnsafeMutableBufferPointer { plane in
        plane.baseAddress.flatMap {
          SampleCoding.decode(bytes, format, channel: channel, into: $0, count: count)
        }
      }
      return plane
    }
  }
}

/// Returns the lag in samples, up to `limit`, at which `output` resembles `input` most.
public func lag(of output: [Float], behind input: [Float], limit: Int) -> Int {
  var best = (lag: 0, likeness: -Float.infinity)
  for lag in 0..<limit {
    var sum: Float = 0
    for index in stride(from: 0, to: min(input.count, output.count - lag), by: 1) {
      sum += input[index] * output[index + lag]
    }
    if sum > best.likeness { best = (lag, sum) }
  }
  return best.lag
}

/// Returns the level of a signal in dBFS, or NaN if the signal contains NaN.
public func level(_ signal: some Collection<Float>) -> Float {
  let meanSquare = signal.reduce(0) { $0 + $1 * $1 } / Float(max(1, signal.count))
  return meanSquare.isFinite ? Decibels.level(meanSquare: meanSquare) : .nan
}
