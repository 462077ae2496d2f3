internal import AudioCore
internal import AudioFiles

/// The frames of a session's inputs as bytes, from a recorded call or from noise.
struct CallAudio {
  let rate: SampleRate
  let frames: [(microphone: [UInt8], reference: [UInt8])]

  init(_ options: Options) throws {
    let rate = options.rate
    self.rate = rate
    if let microphone = options.microphone, let reference = options.reference {
      let sides = try [microphone, reference].map { try Self.frames(of: $0, rate) }
      frames = zip(sides[0], sides[1]).map { ($0, $1) }
    } else {
      let noise = Self.noise(rate)
      frames = noise.indices.map { (noise[($0 + 101) % noise.count], noise[$0]) }
    }
  }

  /// Returns the frames of a file at a rate, interpolated linearly as in the other benchmarks.
  private static func frames(of path: String, _ rate: SampleRate) throws -> [[UInt8]] {
    let file = try AudioFileReader(path: path)
    let format = AudioFormat(encoding: .s16, rate: file.format.rate, channelCount: 1)
    guard file.format == format, rate.hertz.isMultiple(of: format.rate.hertz) else {
      throw Options.OptionError(
        description: "\(path): not 16-bit mono at a rate that divides \(rate.hertz) Hz")
    }
    let factor = rate.hertz / format.rate.hertz
    let samples = try file.read(samples: file.sampleCount).withUnsafeBytes {
      Array($0.bindMemory(to: Int16.self))
    }
    let bytes = samples.indices.flatMap { index -> [UInt8] in
      let here = Int(samples[index])
      let next = Int(samples[min(index + 1, samples.count - 1)])
      return (0..<factor).flatMap { step -> [UInt8] in
        let sample = here + (next - here) * step / factor
        return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
      }
    }
    let size = 2 * rate.samplesPerFrame
    return (0..<bytes.count / size).map { Array(bytes[$0 * size..<($0 + 1) * size]) }
  }

  private static func noise(_ rate: SampleRate) -> [[UInt8]] {
    var state: UInt32 = 1
    return (0..<997).map { _ in
      (0..<rate.samplesPerFrame).flatMap { _ -> [UInt8] in
        state = state &* 1_664_525 &+ 1_013_904_223
        return [UInt8(truncatingIfNeeded: state >> 16), UInt8((state >> 24) & 7)]
      }
    }
  }
}
