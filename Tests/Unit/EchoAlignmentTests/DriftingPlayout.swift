import AudioCore
import EchoAlignment
import TestAudio

#if canImport(Glibc)
  import Glibc
#endif

/// A sine through a `PlayoutBuffer` in virtual time. One clock writes it, with jitter, and another
/// reads it.
struct DriftingPlayout {
  static let rate = SampleRate.hz8000
  static let hertz = 440.0
  static let amplitude: Float = 0.5

  /// The measurements of one second.
  struct Second {
    var leastLevel = Double.infinity  // In ms.
    var mostLevel = 0.0
    var largestJump: Float = 0
    var underruns = 0
    var skipped: Int64 = 0
    var added: Int64 = 0
    /// The rate of the reader at the end of the second, in parts per million.
    var deviation = 0.0
    /// The largest deviation in samples of the read position from the position that rate and
    /// `added` give.
    var largestError = 0.0
  }

  var partsPerMillion = 0.0  // The rate of the writer's clock relative to the reader's.
  var jitter = 0.0  // In seconds.
  var seconds = 60

  /// Runs the playout. `arrival` returns the time at which a frame arrives, given the time at which
  /// it was written.
  func run(
    settings: PlayoutBuffer.Settings = .init(), _ arrival: (Double) -> Double = { $0 }
  ) -> [Second] {
    var generator = SeededGenerator(seed: 3)
    var buffer = PlayoutBuffer(rate: Self.rate, channelCount: 1, settings: settings)
    let input = Frame(rate: Self.rate, channelCount: 1)
    let output = Frame(rate: Self.rate, channelCount: 1)
    var result = [Second](repeating: Second(), count: seconds)
    var (written, comes, last, hasBegun) = (0, 0.0, Float(0), false)
    for read in 0..<(seconds * 100) {
      let now = Double(read) / 100
      while comes <= now {
        fill(input, written)
        buffer.write(input, at: Int64(comes * 1e9))
        written += 1
        let sent = Double(written) / (100 * (1 + partsPerMillion * 1e-6))
        let delayed = sent + Double.random(in: 0...max(jitter, 1e-9), using: &generator)
        comes = max(comes, arrival(delayed))
      }
      let (position, before) = (buffer.position, buffer.status)
      hasBegun = buffer.read(into: output, at: Int64(now * 1e9)) || hasBegun
      let second = read / 100
      let step = 1 + before.deviation * 1e-6
      let expected = Double(output.sampleCount) * step - Double(buffer.status.added - before.added)
      let error = buffer.position - position - expected
      if hasBegun { result[second].largestError = max(result[second].largestError, abs(error)) }
      for sample in output.plane(0) {
        result[second].largestJump = max(result[second].largestJump, abs(sample - last))
        last = sample
      }
      let level = buffer.level * 1000 / Double(Self.rate.hertz)
      result[second].leastLevel = min(result[second].leastLevel, level)
      result[second].mostLevel = max(result[second].mostLevel, level)
      result[second].underruns = buffer.status.underrunCount
      result[second].skipped = buffer.status.skipped
      result[second].added = buffer.status.added
      result[second].deviation = buffer.status.deviation
    }
    return result
  }

  private func fill(_ frame: borrowing Frame, _ index: Int) {
    let plane = frame.plane(0)
    for sample in 0..<frame.sampleCount {
      // A whole number of periods in each second keeps the argument small.
      let place = (index * frame.sampleCount + sample) % Self.rate.hertz
      plane[sample] =
        Self.amplitude * Float(sin(2 * .pi * Self.hertz * Double(place) / Double(Self.rate.hertz)))
    }
  }

  /// The largest difference between neighbouring samples of the original sine.
  static var jumpOfTheSine: Float {
    2 * amplitude * Float(sin(.pi * hertz / Double(rate.hertz)))
  }
}
