import AudioCore
import TestAudio
import Testing
import VoiceSessions

#if canImport(Glibc)
  import Glibc
#endif

/// Sessions with two channels.
struct StereoTests {
  private static let rate = SampleRate.hz16000

  @Test(arguments: MicMode.allCases)
  func theLevelsOfLeftAndRightKeepTheirDifference(mode: MicMode) async throws {
    // The voice is quiet, and long enough for gain control to raise it.
    let left = try await Voices.far(seconds: 20).map { $0 / 10 }
    let output = try processed([left, left.map { $0 / 4 }], mode)
    let difference = level(output[0].suffix(48000)) - level(output[1].suffix(48000))
    #expect(abs(difference - 12.04) < 1)
    if mode == .standard { #expect(level(output[0].suffix(48000)) > level(left) + 3) }
  }

  @Test(arguments: MicMode.allCases)
  func differentSoundsStayApart(mode: MicMode) throws {
    let (left, right) = (tone(440, every: 0.9), tone(1000, every: 1.1))
    let output = try processed([left, right], mode)
    // A tone that is 20 dB louder in its own channel was not mixed.
    #expect(content(output[0], 440) > 10 * content(output[1], 440))
    #expect(content(output[1], 1000) > 10 * content(output[0], 1000))
  }

  @Test(arguments: [1, -1, -0.98] as [Float])
  func twoMicrophonesOfAVoiceBecomeOneOutputInPhaseOrNot(factor: Float) async throws {
    let left = try await Voices.far(seconds: 8)
    let alone = try mono(.f32(Self.rate), microphone: [left])
    let both = try mono(.f32(Self.rate, 2), microphone: [left, left.map { factor * $0 }])
    let end = 6 * Self.rate.hertz
    #expect(abs(level(both.suffix(end)) - level(alone.suffix(end))) < 1)
  }

  @Test(arguments: [0, 1, -1, -0.98] as [Float])
  func theEchoOfAStereoReferenceIsRemovedInPhaseOrNot(factor: Float) async throws {
    let far = try await Voices.far(seconds: 10)
    let echo = Signals.echo(of: far, delay: 800, gain: 0.5)
    let output = try mono(
      .f32(Self.rate), microphone: [echo], reference: [far, far.map { factor * $0 }])
    let end = 5 * Self.rate.hertz
    #expect(level(echo.suffix(end)) - level(output.suffix(end)) > 25)
  }

  private func mono(
    _ format: AudioFormat, microphone: [[Float]], reference: [[Float]]? = nil
  ) throws -> [Float] {
    let run = try SessionRun(
      SessionSetup(
        microphone: format, reference: reference.map { _ in .f32(Self.rate, 2) },
        processed: .f32(Self.rate)))
    let size = 4 * 160
    try run.send(
      microphone: encode(microphone, .f32), in: size * format.channelCount,
      reference: reference.map { encode($0, .f32) }, in: 2 * size)
    run.finish()
    return decode(run.sink.processed, .f32(Self.rate))[0]
  }

  private func processed(_ planes: [[Float]], _ mode: MicMode) throws -> [[Float]] {
    var setup = SessionSetup(microphone: .f32(Self.rate, 2))
    setup.configuration.preferredMicMode = mode
    let run = try SessionRun(setup)
    try run.send(microphone: encode(planes, .f32), in: 8 * 160)
    run.finish()
    return decode(run.sink.processed, .f32(Self.rate, 2))
  }

  /// Returns a tone of half a second in each period, so that it does not count as steady noise.
  private func tone(_ frequency: Float, every period: Float) -> [Float] {
    let rotation = 2 * Float.pi * frequency / Float(Self.rate.hertz)
    return (0..<(6 * Self.rate.hertz)).map { index in
      let time = (Float(index) / Float(Self.rate.hertz)).truncatingRemainder(dividingBy: period)
      return time < 0.5 ? 0.2 * sinf(rotation * Float(index)) : 0
    }
  }

  /// Returns the level of a frequency in a signal, by correlation with sine and cosine.
  private func content(_ signal: [Float], _ frequency: Float) -> Float {
    let rotation = 2 * Float.pi * frequency / Float(Self.rate.hertz)
    let sums = signal.enumerated().reduce(into: (Float(0), Float(0))) { sums, next in
      let angle = rotation * Float(next.offset)
      sums.0 += next.element * sinf(angle)
      sums.1 += next.element * sinf(angle + .pi / 2)
    }
    return (sums.0 * sums.0 + sums.1 * sums.1).squareRoot()
  }
}
