#if canImport(Glibc)
  internal import Glibc
#endif

/// A call of any length at 8 kHz in which the loudspeaker's clock is faster or slower than the
/// microphone's. Every sample is computed in double precision from its index and position, so that
/// the last hour is as exact as the first.
struct DriftingCall {
  static let hertz = 8000
  static let frame = 80

  /// The source of the service's knowledge of the playback.
  var reference: ClockSoak.Reference
  /// The rate of the loudspeaker's clock relative to the microphone's, in parts per million.
  /// Positive if the loudspeaker's is faster.
  var ppm: Double
  /// The delay of the echo after the loudspeaker, in seconds.
  var lag: Double

  private static let echoGain: Float = 0.5
  private static let loop = speech(seconds: 47)
  private static let reflections: [(samples: Int, gain: Float)] = [
    (0, 1), (9, -0.4), (22, 0.3), (34, -0.25), (54, 0.2),
  ]
  private static let taps = 32
  private static let phases = 4096
  private static let table = sincTable()
  /// The number of samples that a client without a reference inserts or skips when the drift has
  /// grown to this amount.
  static let step = 80

  private var clockRatio: Double { 1 + ppm * 1e-6 }

  /// Returns the number of reference samples that were played when `frames` microphone frames have
  /// been captured.
  func played(afterFrames frames: Int) -> Int {
    Int(Double(frames * Self.frame) * clockRatio)
  }

  /// Returns a sample of the far end.
  static func source(_ index: Int) -> Float { index < 0 ? 0 : loop[index % loop.count] }

  /// Fills a frame of the microphone with the echo and a little noise.
  func capture(_ frame: Int, into output: UnsafeMutablePointer<Float>) {
    let longest = Self.reflections.last?.samples ?? 0
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.frame + longest) { direct in
      for index in 0..<direct.count {
        direct[index] = heard(at: frame * Self.frame + index - longest)
      }
      var noise = UInt32(truncatingIfNeeded: frame) &* 2_654_435_761 | 1
      for index in 0..<Self.frame {
        var sum: Float = 0
        for (delay, gain) in Self.reflections {
          sum += gain * direct[longest + index - delay]
        }
        noise = noise &* 1_664_525 &+ 1_013_904_223
        let tremble = Float(Int32(bitPattern: noise)) / Float(Int32.max)
        output[index] = Self.echoGain * sum + 1e-4 * tremble
      }
    }
  }

  /// Returns the sample position of the loudspeaker's device that is heard at a time in seconds.
  func deviceSample(at seconds: Double) -> Double {
    (seconds - lag) * Double(Self.hertz) * clockRatio
  }

  /// Returns the time in seconds at which a sample of the loudspeaker's device is heard.
  func heard(deviceSample sample: Double) -> Double {
    sample / (Double(Self.hertz) * clockRatio) + lag
  }

  /// Returns the number of steps of the playback before a sample of the device.
  func steps(before sample: Int) -> Int {
    guard reference == .reports, ppm != 0, sample > 0 else { return 0 }
    return Int(Double(sample) * abs(ppm) * 1e-6 / Double(Self.step))
  }

  /// Returns the first sample of the device at or after the beginning of a step.
  func begin(ofStep step: Int) -> Int {
    Int((Double(step * Self.step) / (abs(ppm) * 1e-6)).rounded(.up))
  }

  /// Returns the far-end sample that the device plays, or nil for inserted silence.
  func farEndSample(ofDevice sample: Int) -> Int? {
    let steps = steps(before: sample)
    guard steps > 0 else { return sample }
    if ppm > 0, sample - begin(ofStep: steps) < Self.step { return nil }
    return sample + (ppm > 0 ? -steps : steps) * Self.step
  }

  private func heard(at index: Int) -> Float {
    let position = deviceSample(at: Double(index) / Double(Self.hertz))
    guard position > Double(Self.taps) else { return 0 }
    let whole = Int(position)
    let row = Int((position - Double(whole)) * Double(Self.phases) + 0.5) * Self.taps
    let first = whole - (Self.taps / 2 - 1)
    return Self.table.withUnsafeBufferPointer { table in
      if let start = unbrokenSample(ofDevice: first).map({ $0 % Self.loop.count }),
        start + Self.taps <= Self.loop.count
      {
        return Self.loop.withUnsafeBytes { loop in
          let row = row * MemoryLayout<Float>.stride
          let start = start * MemoryLayout<Float>.stride
          let table = UnsafeRawBufferPointer(table)
          var sums = SIMD8<Float>()
          for offset in stride(from: 0, to: Self.taps * MemoryLayout<Float>.stride, by: 32) {
            sums +=
              loop.loadUnaligned(fromByteOffset: start + offset, as: SIMD8<Float>.self)
              * table.loadUnaligned(fromByteOffset: row + offset, as: SIMD8<Float>.self)
          }
          return sums.sum()
        }
      }
      var sum: Float = 0
      for tap in 0..<Self.taps {
        let sample = reference == .reports ? farEndSample(ofDevice: first + tap) : first + tap
        sum += (sample.map(Self.source) ?? 0) * table[row + tap]
      }
      return sum
    }
  }

  /// The sample of the far end that the device plays, where it plays those after it for as long as
  /// the interpolation needs them.
  private func unbrokenSample(ofDevice first: Int) -> Int? {
    guard reference == .reports else { return first }
    guard let start = farEndSample(ofDevice: first), start >= 0,
      farEndSample(ofDevice: first + Self.taps - 1) == start + Self.taps - 1
    else { return nil }
    return start
  }

  /// Returns syllables of noise with pauses between words. The noise is limited to 2.8 kHz, so that
  /// the error of interpolation does not matter.
  private static func speech(seconds: Int) -> [Float] {
    var state: UInt32 = 12345
    var smoothed: Float = 0
    var (length, place, loudness): (Int, Int, Float) = (1200, 0, 0.3)
    let syllables = (0..<seconds * hertz).map { _ -> Float in
      state = state &* 1_664_525 &+ 1_013_904_223
      smoothed += 0.6 * (Float(Int32(bitPattern: state)) / Float(Int32.max) - smoothed)
      place += 1
      if place == length {
        let random = Int(state >> 12)
        (length, place) = (700 + random % 1700, 0)
        loudness = random % 7 == 0 ? 0 : 0.15 + 0.3 * Float(random % 11) / 11
      }
      let phase = Float(place) / Float(length)
      return loudness * 4 * phase * (1 - phase) * smoothed
    }
    return lowPassed(syllables)
  }

  /// Applies a low-pass filter, a sinc with a Hann window of 129 taps, to the signal as a loop.
  private static func lowPassed(_ signal: [Float]) -> [Float] {
    let reach = 64
    let cutoff = 2800.0 / Double(hertz)
    let response = (-reach...reach).map { tap -> Float in
      let x = 2 * Double.pi * cutoff * Double(tap)
      let sinc = tap == 0 ? 2 * cutoff : sin(x) / (Double.pi * Double(tap))
      return Float(sinc * (0.5 + 0.5 * cos(Double.pi * Double(tap) / Double(reach + 1))))
    }
    return signal.indices.map { index in
      (-reach...reach).reduce(Float(0)) { sum, tap in
        let place = (index + tap + signal.count) % signal.count
        return sum + response[tap + reach] * signal[place]
      }
    }
  }

  /// Returns a table of a sinc with a Hann window.
  private static func sincTable() -> [Float] {
    (0...phases).flatMap { phase -> [Float] in
      let fraction = Double(phase) / Double(phases)
      return (0..<taps).map { tap in
        let x = Double(tap - (taps / 2 - 1)) - fraction
        let sinc = x == 0 ? 1 : sin(Double.pi * x) / (Double.pi * x)
        let inside = min(1, abs(x) / Double(taps / 2))
        return Float(sinc * (0.5 + 0.5 * cos(Double.pi * inside)))
      }
    }
  }
}
