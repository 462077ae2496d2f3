import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

#if canImport(Glibc)
  import Glibc
#endif

/// Plane waves from simulated directions at two microphones.
struct MicrophonePairTests {
  private static let spacing: Float = 0.02
  private static let rates: [SampleRate] = [.hz16000, .hz48000]
  private static let frequencies: [Float] = [200, 500, 1000, 2000, 3000]

  /// Returns the levels in dB that both channels have for a tone of 0 dB from a direction. 0 degrees is the
  /// first microphone's side.
  private func levels(
    _ layout: MicrophonePair.Layout, _ frequency: Float, degrees: Float, _ rate: SampleRate
  ) -> (first: Float, second: Float) {
    var pair = MicrophonePair(layout, rate: rate)
    let frame = Frame(rate: rate, channelCount: 2)
    // The second microphone hears the wave later, by a part of the spacing.
    let later = layout.spacing * cosf(degrees * .pi / 180) / 343
    var sums = (Float(0), Float(0))
    for index in 0..<100 {
      for sample in 0..<frame.sampleCount {
        let time = Double(index * frame.sampleCount + sample) / Double(rate.hertz)
        let turn = 2 * Double.pi * Double(frequency)
        frame.plane(0)[sample] = Float(sin(turn * time))
        frame.plane(1)[sample] = Float(sin(turn * (time - Double(later))))
      }
      pair.process(frame)
      guard index >= 50 else { continue }
      for sample in 0..<frame.sampleCount {
        sums.0 += frame.plane(0)[sample] * frame.plane(0)[sample]
        sums.1 += frame.plane(1)[sample] * frame.plane(1)[sample]
      }
    }
    let count = Float(50 * frame.sampleCount) / 2
    return (10 * log10f(sums.0 / count + 1e-12), 10 * log10f(sums.1 / count + 1e-12))
  }

  @Test(arguments: rates)
  func aCardioidHearsTheFrontEvenlyAndNotTheRear(rate: SampleRate) {
    let layout = MicrophonePair.Layout(spacing: Self.spacing, pattern: .cardioid)
    for frequency in Self.frequencies {
      let front = levels(layout, frequency, degrees: 0, rate).first
      let side = levels(layout, frequency, degrees: 90, rate).first
      let rear = levels(layout, frequency, degrees: 180, rate).first
      #expect(abs(front) < 1, "\(frequency) Hz: \(front) dB")
      #expect(abs(front - side - 6) < 2, "\(frequency) Hz from the side: \(side) dB")
      #expect(rear < -30, "\(frequency) Hz from the rear: \(rear) dB")
    }
  }

  @Test(arguments: rates)
  func stereoHasEachSideInItsChannel(rate: SampleRate) {
    for isTurned in [false, true] {
      let layout = MicrophonePair.Layout(
        spacing: Self.spacing, pattern: .stereo, isTurned: isTurned)
      for frequency in Self.frequencies {
        let (first, second) = levels(layout, frequency, degrees: isTurned ? 180 : 0, rate)
        #expect(abs(first) < 1 && second < -30, "\(frequency) Hz: \(first) and \(second) dB")
        let middle = levels(layout, frequency, degrees: 90, rate)
        #expect(abs(middle.first - middle.second) < 0.1)
      }
    }
  }

  @Test(arguments: SampleRate.allCases, [0.005, 0.05] as [Float])
  func everyRateAndSpacingIsStable(rate: SampleRate, spacing: Float) {
    let layout = MicrophonePair.Layout(spacing: spacing, pattern: .stereo)
    let (first, second) = levels(layout, 300, degrees: 0, rate)
    #expect(abs(first) < 2 && second < -20, "\(first) and \(second) dB")
  }

  /// A microphone whose converter has an offset is common, and two have two.
  @Test(arguments: rates)
  func constantsDoNotBecomeLoud(rate: SampleRate) {
    let layout = MicrophonePair.Layout(spacing: 0.005, pattern: .stereo)
    var pair = MicrophonePair(layout, rate: rate)
    let frame = Frame(rate: rate, channelCount: 2)
    var loudest: Float = 0
    for _ in 0..<200 {
      for sample in 0..<frame.sampleCount {
        (frame.plane(0)[sample], frame.plane(1)[sample]) = (0.02, -0.01)
      }
      pair.process(frame)
      for channel in 0..<2 {
        loudest = max(loudest, (0..<frame.sampleCount).map { abs(frame.plane(channel)[$0]) }.max()!)
      }
    }
    #expect(loudest < 0.05)
  }

  @Test(arguments: rates)
  func microphonesThatAreSwitchedOffBecomeSilent(rate: SampleRate) {
    var pair = MicrophonePair(.init(spacing: 0.02, pattern: .cardioid), rate: rate)
    let frame = Frame(rate: rate, channelCount: 2)
    let noise = Signals.noise(30 * frame.sampleCount, amplitude: 0.5, seed: 3)
    for index in 0..<130 {
      for sample in 0..<frame.sampleCount {
        let value = index < 30 ? noise[index * frame.sampleCount + sample] + 0.01 : 0
        (frame.plane(0)[sample], frame.plane(1)[sample]) = (value, 0)
      }
      pair.process(frame)
    }
    #expect(frame.peak == 0)
  }

  @Test func aSessionHearsInTheDirection() throws {
    let rate = SampleRate.hz16000
    let noise = Signals.babble(2 * rate.hertz, rate: rate, seed: 5)
    func output(_ pair: MicrophonePair.Layout?) throws -> Float {
      var setup = SessionSetup(microphone: .f32(rate, 2))
      setup.configuration.voiceProcessing.isBypassed = true
      setup.microphonePair = pair
      let run = try SessionRun(setup)
      // One sample is 2.1 cm. The sound comes from the second microphone's side.
      try run.send(microphone: encode([[0] + noise.dropLast(), noise], .f32), in: 8 * 160)
      run.finish()
      return level(decode(run.sink.processed, .f32(rate, 2))[0])
    }
    let open = try output(nil)
    let directed = try output(.init(spacing: 343 / 16000, pattern: .cardioid))
    #expect(open - directed > 30, "\(open - directed) dB")
  }

  @Test func theRawOutputHasBothMicrophonesAsTheyWereCaptured() throws {
    let rate = SampleRate.hz16000
    var setup = SessionSetup(microphone: .f32(rate, 2))
    setup.raw = .f32(rate, 2)
    setup.microphonePair = .init(spacing: 343 / 16000, pattern: .cardioid)
    let run = try SessionRun(setup)
    let channels = [Signals.noise(rate.hertz, seed: 1), Signals.noise(rate.hertz, seed: 2)]
    try run.send(microphone: encode(channels, .f32), in: 8 * 160)
    run.finish()
    let delay = rate.samples(in: try #require(run.session.delays.raw))
    let raw = decode(run.sink.raw, .f32(rate, 2))
    for (captured, heard) in zip(channels, raw) {
      #expect(Array(heard.dropFirst(delay)) == Array(captured.dropLast(delay)))
    }
  }

  @Test func aDeviceThatIsTurnedDuringACallIsHeardFromTheOtherSideWithoutAClick() throws {
    let rate = SampleRate.hz16000
    let tone = (0..<2 * rate.hertz).map { 0.25 * sinf(2 * .pi * 500 * Float($0) / 16000) }
    var setup = SessionSetup(microphone: .f32(rate, 2))
    setup.configuration.voiceProcessing.isBypassed = true
    setup.microphonePair = .init(spacing: 343 / 16000, pattern: .cardioid)
    let run = try SessionRun(setup)
    // The sound comes from the first microphone's side.
    let both = encode([tone, [0] + tone.dropLast()], .f32)
    let half = both.count / 2
    try run.send(microphone: Array(both[..<half]), in: 8 * 160)
    func report(_ pair: MicrophonePair.Layout?) {
      let port = AudioPort(id: "tablet", microphonePair: pair)
      let change = RouteChange(reason: .configurationChange, current: AudioRoute(input: port))
      run.session.submit(DeviceReport.route(change), sink: run.sink)
    }
    report(.init(spacing: 343 / 16000, pattern: .cardioid, isTurned: true))
    try run.send(microphone: Array(both[half...]), in: 8 * 160)
    run.finish()
    let output = decode(run.sink.processed, .f32(rate, 2))[0]
    #expect(level(Array(output[8_000..<15_900])) > -17)
    #expect(level(Array(output[17_000...])) < -45)
    let steps = zip(output.dropFirst(2_000), output.dropFirst(2_001)).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 0.07)
    #expect(run.sink.kinds.contains { if case .routeChanged = $0 { true } else { false } })
  }
}
