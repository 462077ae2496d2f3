import AudioCore
import EchoAlignment
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct VariableResamplerTests {
  private static let rate = SampleRate.hz16000

  @Test(arguments: [0, 1, 159, 160, 161, 5000, 17600])
  func aWholeDelayThatStandsStillLeavesSamplesUntouched(delay: Int) {
    let signal = Signals.noise(Self.rate.hertz * 2)
    let output = process(signal) { resampler, frame in
      if frame == 0 { resampler.move(to: Double(delay)) }
      return 0
    }
    #expect(output.dropFirst(delay + 160).elementsEqual(signal[160..<(signal.count - delay)]))
  }

  @Test func aDelayBetweenSamplesIsExact() {
    let output = process(sine(1000)) { resampler, frame in
      if frame == 0 { resampler.move(to: 100.37) }
      return 0
    }
    let error = (400..<output.count).map { index -> Float in
      abs(output[index] - sine(1000, at: Double(index) - 100.37))
    }
    #expect(error.max() ?? 1 < 0.0005)
  }

  @Test(arguments: [-500, -20, 20, 500] as [Double], [300, 3000, 6000] as [Double])
  func aSlopeIsADriftWithoutClicks(slope: Double, hertz: Double) {
    let output = process(sine(hertz)) { resampler, frame in
      if frame == 0 { resampler.move(to: 400) }
      return frame == 0 ? 0 : slope
    }
    let error = (1600..<output.count).map { index -> Float in
      let delay = 400 + Double(index - 160) * slope * 1e-6
      return abs(output[index] - sine(hertz, at: Double(index) - delay))
    }
    #expect(error.max() ?? 1 < 0.002)
  }

  @Test func aMoveFadesWithinAFrame() {
    let output = process(sine(200)) { resampler, frame in
      if frame == 20 { resampler.move(to: 4000) }
      return 0
    }
    let steepest = zip(output, output.dropFirst()).map { abs($1 - $0) }.max() ?? 1
    let ofTheSine: Float = 0.5 * 2 * .pi * 200 / 16000
    let ofTheFade: Float = 2 * 0.5 / 160
    #expect(steepest < ofTheSine + ofTheFade)
  }

  @Test(arguments: [1, 70, 160, 470])
  func silenceIsInsertedBeforeAnExactSample(count: Int) {
    let signal = Signals.noise(Self.rate.hertz)
    let sample = 2345  // It is read in frame 20 with a delay of 1000.
    let output = process(signal) { resampler, frame in
      if frame == 0 { resampler.move(to: 1000) }
      if frame == 20 { resampler.move(by: Int64(count), at: Int64(sample)) }
      return 0
    }
    let seam = sample + 1000
    #expect(output[1160..<seam].elementsEqual(signal[160..<sample]))
    #expect(output[seam..<(seam + count)].allSatisfy { $0 == 0 })
    let rest = output[(seam + count)...]
    #expect(rest.elementsEqual(signal[sample..<(sample + rest.count)]))
  }

  @Test(arguments: [1, 70, 160, 470])
  func samplesAreLeftOutFromAnExactSampleOn(count: Int) {
    let signal = Signals.noise(Self.rate.hertz)
    let sample = 2345
    let output = process(signal) { resampler, frame in
      if frame == 0 { resampler.move(to: 1000) }
      if frame == 20 { resampler.move(by: Int64(-count), at: Int64(sample)) }
      return 0
    }
    let seam = sample + 1000
    #expect(output[1160..<seam].elementsEqual(signal[160..<sample]))
    let rest = output[seam...]
    #expect(rest.elementsEqual(signal[(sample + count)..<(sample + count + rest.count)]))
  }

  /// A report that comes too late.
  @Test func aSampleOfAnotherFrameIsNoPlaceForAStep() {
    let signal = Signals.noise(Self.rate.hertz)
    let output = process(signal) { resampler, frame in
      if frame == 0 { resampler.move(to: 1000) }
      if frame == 25 { resampler.move(by: 70, at: 2345) }
      return 0
    }
    #expect(output[1160..<4000].elementsEqual(signal[160..<3000]))
    #expect(output[4160...].elementsEqual(signal[3090..<(signal.count - 1070)]))
  }

  @Test func anExcessiveDelayIsLimited() {
    var resampler = VariableResampler(rate: Self.rate, channelCount: 1, longestDelay: 1000)
    let frame = Frame(rate: Self.rate, channelCount: 1)
    resampler.move(to: 1e9)
    resampler.slope = 1e9
    resampler.process(frame, into: frame)
    #expect(value(resampler.delay) == 1000)
    resampler.slope = .nan
    resampler.process(frame, into: frame)
    #expect(value(resampler.delay) == 1000)
    resampler.slope = -.infinity
    resampler.process(frame, into: frame)
    #expect(value(resampler.delay) == 1000)
    resampler.slope = -1e9
    resampler.process(frame, into: frame)
    #expect(abs(value(resampler.delay) - 999.84) < 1e-9)
    resampler.move(to: -5)
    resampler.slope = -100
    resampler.process(frame, into: frame)
    #expect(value(resampler.delay) == 0)
    resampler.move(to: 3.5)
    resampler.process(frame, into: frame)
    #expect(value(resampler.delay) == VariableResampler.leastFractionalDelay)
  }

  @Test func channelsStayApart() {
    var resampler = VariableResampler(rate: Self.rate, channelCount: 2, longestDelay: 1000)
    let input = Frame(rate: Self.rate, channelCount: 2)
    let output = Frame(rate: Self.rate, channelCount: 2)
    for index in 0..<160 {
      input.plane(0)[index] = 0.25
      input.plane(1)[index] = -0.5
    }
    resampler.move(to: 50.5)
    resampler.slope = 100
    for _ in 0..<5 { resampler.process(input, into: output) }
    #expect(output.plane(0).allSatisfy { abs($0 - 0.25) < 1e-5 })
    #expect(output.plane(1).allSatisfy { abs($0 + 0.5) < 1e-5 })
  }

  /// Resamples a signal. Before each frame, `before` may move the position, and returns the slope.
  private func process(
    _ signal: [Float], _ before: (_ resampler: inout VariableResampler, _ frame: Int) -> Double
  ) -> [Float] {
    let size = Self.rate.samplesPerFrame
    var resampler = VariableResampler(rate: Self.rate, channelCount: 1, longestDelay: 17600)
    let input = Frame(rate: Self.rate, channelCount: 1)
    let output = Frame(rate: Self.rate, channelCount: 1)
    var result: [Float] = []
    for frame in 0..<(signal.count / size) {
      for index in 0..<size { input.plane(0)[index] = signal[frame * size + index] }
      resampler.slope = before(&resampler, frame)
      resampler.process(input, into: output)
      result.append(contentsOf: output.plane(0))
    }
    return result
  }

  @Test func delayedSamplesMayArriveLate() {
    let signal = Signals.noise(Self.rate.hertz)
    var resampler = VariableResampler(rate: Self.rate, channelCount: 1, longestDelay: 1600)
    resampler.move(to: 800)
    let frame = Frame(rate: Self.rate, channelCount: 1)
    var output: [Float] = []
    for index in 0..<100 {
      // The frames arrive in bursts of five, each five frames late.
      if index.isMultiple(of: 5), index > 0 {
        for late in index - 5..<index {
          for sample in 0..<160 { frame.plane(0)[sample] = signal[late * 160 + sample] }
          resampler.write(frame)
        }
      }
      #expect(index == 0 || value(resampler.hasNextFrame()))
      resampler.read(into: frame)
      output.append(contentsOf: frame.plane(0))
    }
    #expect(output.dropFirst(1600).elementsEqual(signal[800..<15200]))
  }

  @Test func aSlopeWithoutRoomDropsNothing() {
    var resampler = VariableResampler(rate: Self.rate, channelCount: 1, longestDelay: 1600)
    resampler.slope = -200
    let frame = Frame(rate: Self.rate, channelCount: 1)
    for index in 0..<160 { frame.plane(0)[index] = 1 }
    resampler.process(frame, into: frame)
    #expect(frame.plane(0).allSatisfy { $0 == 1 })
  }

  @Test func missingSamplesAreSilent() {
    var resampler = VariableResampler(rate: Self.rate, channelCount: 1, longestDelay: 1600)
    let frame = Frame(rate: Self.rate, channelCount: 1)
    for index in 0..<160 { frame.plane(0)[index] = 1 }
    resampler.write(frame)
    resampler.read(into: frame)
    #expect(frame.plane(0).allSatisfy { $0 == 1 })
    #expect(!value(resampler.hasNextFrame()))
    resampler.read(into: frame)
    #expect(frame.plane(0).allSatisfy { $0 == 0 })
  }

  private func sine(_ hertz: Double) -> [Float] {
    (0..<Self.rate.hertz * 2).map { sine(hertz, at: Double($0)) }
  }

  private func sine(_ hertz: Double, at position: Double) -> Float {
    Float(0.5 * sin(2 * Double.pi * hertz * position / 16_000))
  }
}

extension VariableResampler {
  fileprivate mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    write(input)
    read(into: output)
  }
}
