import Testing

@testable import AudioCore

struct SampleTests {
  @Test func sixteenBitSamplesSurviveDecodingAndEncoding() {
    let format = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 2)
    let codes: [Int16] = [.min, -1, 0, 1, .max, 12345, -12345, 257]
    let bytes = codes.flatMap { code in withUnsafeBytes(of: code.littleEndian) { Array($0) } }
    var queue = SampleQueue(format: format)
    let fault = bytes.withUnsafeBytes { queue.append($0) }
    #expect(fault == nil)
    let frame = Frame(rate: .hz16000, channelCount: 2)
    let taken = queue.read(into: frame)
    #expect(taken == 4)
    var encoded = [UInt8](repeating: 0, count: bytes.count)
    encoded.withUnsafeMutableBytes { SampleCoding.encode(frame, count: 4, format, into: $0) }
    #expect(encoded == bytes)
  }

  @Test func floatsBeyondFullScaleAreClipped() {
    let format = AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1)
    let values: [Float] = [2, -3, 0.5]
    var queue = SampleQueue(format: format)
    _ = values.withUnsafeBytes { queue.append($0) }
    let frame = Frame(rate: .hz8000, channelCount: 1)
    queue.read(into: frame)
    #expect(Array(frame.plane(0).prefix(3)) == [1, -1, 0.5])
  }

  @Test func aFrameArrivesAsItsEncodedSamplesDo() {
    let format = AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 2)
    let frame = Frame(rate: .hz8000, channelCount: 2)
    for index in 0..<frame.sampleCount {
      frame.plane(0)[index] = Float(index - 40) / 20
      frame.plane(1)[index] = index == 7 ? .nan : -Float(index) / 100
    }
    var bytes = [UInt8](repeating: 0, count: frame.sampleCount * format.bytesPerSampleFrame)
    bytes.withUnsafeMutableBytes {
      SampleCoding.encode(frame, count: frame.sampleCount, format, into: $0)
    }
    var typed = SampleQueue(format: format)
    var encoded = SampleQueue(format: format)
    for gap in [0, 0, 100, 0] {
      typed.appendConcealment(gap)
      encoded.appendConcealment(gap)
      typed.append(frame.planePointers, 0..<frame.sampleCount)
      _ = bytes.withUnsafeBytes { encoded.append($0) }
    }
    for channel in 0..<2 {
      let samples = UnsafeBufferPointer(start: typed.samples(channel), count: typed.count)
      let others = UnsafeBufferPointer(start: encoded.samples(channel), count: encoded.count)
      #expect(samples.count == 420 && samples.elementsEqual(others))
    }
  }

  @Test(arguments: SampleEncoding.allCases)
  func valuesThatAreNotNumbersAreEncodedAsSilence(encoding: SampleEncoding) {
    let format = AudioFormat(encoding: encoding, rate: .hz8000, channelCount: 1)
    let frame = Frame(rate: .hz8000, channelCount: 1)
    frame.plane(0)[0] = .nan
    var bytes = [UInt8](repeating: 1, count: format.bytesPerSampleFrame)
    bytes.withUnsafeMutableBytes { SampleCoding.encode(frame, count: 1, format, into: $0) }
    #expect(bytes.allSatisfy { $0 == 0 })
  }

  @Test func everySixteenBitCodeIsTheNearestToItsSample() {
    let format = AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1)
    let frame = Frame(rate: .hz8000, channelCount: 1)
    // Halfway between two codes, where the farther from zero is taken, at a code, and just beside.
    for half in stride(from: -65_540, through: 65_540, by: 26) {
      let samples = (0..<26).flatMap { index -> [Float] in
        let sample = Float(half + index) / 65_536
        return [sample.nextDown, sample, sample.nextUp]
      }
      for index in samples.indices { frame.plane(0)[index] = samples[index] }
      var codes = [Int16](repeating: 0, count: samples.count)
      codes.withUnsafeMutableBytes {
        SampleCoding.encode(frame, count: samples.count, format, into: $0)
      }
      let nearest = samples.map { sample in
        Int16(max(-32768, min(32767, (Double(sample) * 32768).rounded())))
      }
      // A sum in 24 bits rounds the neighbours of a half.
      let isNear = zip(codes, nearest).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
      let middles = stride(from: 1, to: samples.count, by: 3)
      #expect(isNear && middles.allSatisfy { codes[$0] == nearest[$0] })
    }
  }

  /// The gap is concealed when the queue is read, or when samples are appended.
  @Test(arguments: [1, 20, 40, 200], [false, true])
  func soundAfterAGapFadesIn(gap: Int, isAppended: Bool) {
    var stream = ConstantStream()
    stream.append(60)
    if isAppended { stream.queue.appendConcealment(gap) }
    let given = stream.take(frames: isAppended ? 0 : 1 + gap / 80)
    for _ in 0..<400 { stream.append(1) }
    let sound = given + stream.take(frames: 4)
    #expect(zip(sound, sound.dropFirst()).allSatisfy { abs($0 - $1) < 1.01 / 40 })
    #expect(sound.last == 1)
    if gap == 200 { #expect(sound.contains(0)) }
  }

  @Test(arguments: [1, 3, 39, 40, 300])
  func aFadeOutLasts5Milliseconds(waiting: Int) {
    var stream = ConstantStream()
    stream.append(waiting)
    let left = stream.queue.fadeOut()
    #expect(left == min(waiting, 40))
    let sound = [1] + stream.take(frames: 1)
    #expect(zip(sound, sound.dropFirst()).allSatisfy { $0 - $1 >= 0 && $0 - $1 < 1.01 / 40 })
    #expect(sound[39] > 0 && sound[40...].allSatisfy { $0 == 0 })
  }

  /// A stream of ones with gaps.
  private struct ConstantStream: ~Copyable {
    var queue = SampleQueue(format: AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1))
    private let frame = Frame(rate: .hz8000, channelCount: 1)

    mutating func append(_ count: Int) {
      let samples = [Float](repeating: 1, count: count)
      _ = samples.withUnsafeBytes { queue.append($0) }
    }

    mutating func take(frames: Int) -> [Float] {
      var taken: [Float] = []
      for _ in 0..<frames {
        queue.read(into: frame)
        taken += frame.plane(0)
      }
      return taken
    }
  }

  @Test func aQueueKeepsItsOrderWhileItGrowsAndWraps() {
    let format = AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1)
    var queue = SampleQueue(format: format)
    let frame = Frame(rate: .hz8000, channelCount: 1)
    var (sent, received): (Float, Float) = (0, 0)
    var isInOrder = true
    for round in 0..<300 {
      let chunk = (0..<(round * 13 % 500)).map { _ in
        sent += 1
        return sent / 1_000_000
      }
      _ = chunk.withUnsafeBytes { queue.append($0) }
      while queue.count >= frame.sampleCount {
        queue.read(into: frame)
        for sample in frame.plane(0) {
          received += 1
          isInOrder = isInOrder && sample == received / 1_000_000
        }
      }
    }
    #expect(isInOrder && received > 60_000)
  }

  @Test(arguments: [0, 1, 79, 80, 81, 200])
  func aDelayLineDelaysBySoManySamples(delay: Int) {
    var line = DelayLine(delay: delay, channelCount: 1)
    let input = Frame(rate: .hz8000, channelCount: 1)
    let output = Frame(rate: .hz8000, channelCount: 1)
    var delayed: [Float] = []
    for frame in 0..<5 {
      for index in 0..<80 { input.plane(0)[index] = Float(frame * 80 + index + 1) }
      line.process(input, into: output)
      delayed.append(contentsOf: output.plane(0))
    }
    #expect(delayed == (0..<400).map { max(0, Float($0 + 1 - delay)) })
  }

  @Test(arguments: [1, 80, 200])
  func aDelayLineKeepsSamplesWhoseDelayedOnesAreNotNeeded(delay: Int) {
    var line = DelayLine(delay: delay, channelCount: 1)
    let input = Frame(rate: .hz8000, channelCount: 1)
    let output = Frame(rate: .hz8000, channelCount: 1)
    for frame in 0..<5 {
      for index in 0..<80 { input.plane(0)[index] = Float(frame * 80 + index + 1) }
      if frame < 4 { line.push(input) } else { line.process(input, into: output) }
    }
    #expect(Array(output.plane(0)) == (320..<400).map { Float($0 + 1 - delay) })
  }

  @Test(arguments: [SampleRate.hz8000, .hz44100], [1, 2])
  func theMeanSquareCountsEverySample(rate: SampleRate, channelCount: Int) {
    let frame = Frame(rate: rate, channelCount: channelCount)
    let last = frame.sampleCount - 1
    frame.plane(channelCount - 1)[last] = 1
    frame.plane(0)[0] = -1
    #expect(frame.meanSquare == 2 / Float(frame.sampleCount * channelCount))
  }

  @Test func theHighPassFilterTakesAwayRumbleAndKeepsTheVoice() {
    func gain(at frequency: Float) -> Float {
      var filter = HighPassFilter(cutoff: 80, rate: .hz16000, channelCount: 1)
      let input = Frame(rate: .hz16000, channelCount: 1)
      let output = Frame(rate: .hz16000, channelCount: 1)
      var phase: Float = 0
      var level: Float = 0
      for frame in 0..<100 {
        for index in 0..<160 {
          phase += frequency / 16000
          phase -= phase.rounded(.down)
          input.plane(0)[index] = 4 * abs(phase - 0.5) - 1  // A triangle is nearly a sine.
        }
        filter.process(input, into: output)
        if frame > 50 { level += output.meanSquare / input.meanSquare / 49 }
      }
      return Decibels.level(meanSquare: level)
    }
    #expect(gain(at: 20) < -20)
    #expect(abs(gain(at: 80) + 3) < 0.7)
    #expect(abs(gain(at: 400)) < 0.2)
  }
}
