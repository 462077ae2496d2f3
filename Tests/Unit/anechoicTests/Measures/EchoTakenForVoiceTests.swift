import anechoic
import Testing

/// The sign that a session took the echo for a voice.
struct EchoTakenForVoiceTests {
  private static let seeds = Array(UInt64(1)...20)
  private static let (echoDelay, outputDelay) = (12, 1)

  /// Returns the finding of a call whose far end talks with pauses.
  ///
  /// - Parameters:
  ///   - near: The levels of the near end at the microphone.
  ///   - left: The gain in dB of the echo that the output contains.
  ///   - voice: Whether a frame counts as voice, by the levels of the near end and of the echo.
  private func finding(
    near: [Float], left: Float, seconds: Int = 45, seed: UInt64,
    voice: (_ near: Float, _ echo: Float) -> Bool
  ) -> EchoTakenForVoice? {
    let far = Envelope(seconds: seconds, loudest: -15, seed: seed)
    let echo = far.delayed(by: Self.echoDelay, gain: -6)
    let noise = [Float](repeating: -65, count: echo.count)
    let output = sum(near, echo.map { $0 + left })
    let late = [Float](repeating: Envelope.silence, count: Self.outputDelay)
    return EchoTakenForVoice(
      ProcessedCall(
        microphone: sum(sum(near, echo), noise), played: far.levels, output: late + output,
        voice: late.map { _ in false } + zip(near, echo).map { voice($0, $1) },
        delay: Self.outputDelay))
  }

  private func silence(_ seconds: Int = 45) -> [Float] {
    [Float](repeating: Envelope.silence, count: 100 * seconds)
  }

  @Test(arguments: seeds, [Float(-1), -12, -20])
  func theFarEndAloneIsReportedIfItsEchoIsLeftAndCountsAsVoice(seed: UInt64, left: Float) throws {
    let found = try #require(
      finding(near: silence(), left: left, seed: seed) { _, echo in echo > -45 })
    // The first two seconds of the far end's sound do not count.
    #expect(found.played > .seconds(35) && found.played < .seconds(43))
    #expect(found.voice > .seconds(20) && found.voice < found.played)
  }

  @Test(arguments: seeds, [0.3, 0.8])
  func twoVoicesAtTheSameTimeAreNotReported(seed: UInt64, talks: Double) {
    let near = Envelope(seconds: 45, loudest: -18, talks: talks, seed: 1000 + seed).levels
    #expect(finding(near: near, left: -40, seed: seed) { near, _ in near > -45 } == nil)
    // Also in short recordings.
    let short = Array(near.prefix(800))
    #expect(
      finding(near: short, left: -40, seconds: 8, seed: seed) { near, _ in near > -45 } == nil)
  }

  @Test(arguments: seeds)
  func aVoiceInThePausesOfTheFarEndIsNotReported(seed: UInt64) {
    let far = Envelope(seconds: 45, loudest: -15, seed: seed).delayed(by: Self.echoDelay, gain: -6)
    let near = Envelope(seconds: 45, loudest: -18, seed: 1000 + seed).levels
    let answers = zip(far, near).map { $0 > -50 ? Envelope.silence : $1 }
    #expect(finding(near: answers, left: -40, seed: seed) { near, _ in near > -45 } == nil)
  }

  @Test(arguments: seeds)
  func anEchoInWhichNoVoiceIsFoundIsNotReported(seed: UInt64) {
    #expect(finding(near: silence(), left: -3, seed: seed) { _, _ in false } == nil)
  }

  @Test func aFewSecondsOfALongCallAreNotReported() {
    var frame = 0
    let found = finding(near: silence(300), left: -3, seconds: 300, seed: 1) { _, echo in
      frame += 1
      return frame > 6000 && frame < 7000 && echo > -45
    }
    #expect(found == nil)
  }

  @Test(arguments: seeds)
  func mutedFramesAreNotReported(seed: UInt64) {
    let far = Envelope(seconds: 45, loudest: -15, seed: seed)
    let echo = far.delayed(by: Self.echoDelay, gain: -6)
    let everywhere = [Bool](repeating: true, count: echo.count)
    let call = ProcessedCall(
      microphone: echo, played: far.levels, output: echo, voice: everywhere, muted: everywhere)
    #expect(EchoTakenForVoice(call) == nil)
  }
}
