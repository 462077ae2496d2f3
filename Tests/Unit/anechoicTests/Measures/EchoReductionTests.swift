import anechoic
import Testing

/// The echo reduction in all frames of the far end, and in those without voice.
struct EchoReductionTests {
  /// A call of 10 s in which the far end always plays and the microphone is at -20 dBFS.
  private func reduction(
    output: (_ frame: Int) -> Float, voice: (_ frame: Int) -> Bool = { _ in false },
    muted: (_ frame: Int) -> Bool = { _ in false }, played: Float = -20, delay: Int = 0
  ) -> EchoReduction {
    EchoReduction(
      ProcessedCall(
        microphone: [Float](repeating: -20, count: 1000),
        played: [Float](repeating: played, count: 1000),
        output: (0..<1000 + delay).map { output($0 - delay) },
        voice: (0..<1000 + delay).map { voice($0 - delay) },
        muted: (0..<1000 + delay).map { muted($0 - delay) }, delay: delay))
  }

  private func expect(
    _ reduction: EchoReduction, all: Float, withoutVoice: Float?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .measured(let foundAll, let found) = reduction else {
      Issue.record("\(reduction)", sourceLocation: sourceLocation)
      return
    }
    #expect(abs(foundAll - all) < 0.1, "\(foundAll)", sourceLocation: sourceLocation)
    #expect((found == nil) == (withoutVoice == nil), sourceLocation: sourceLocation)
    #expect(abs((found ?? 0) - (withoutVoice ?? 0)) < 0.1, sourceLocation: sourceLocation)
  }

  @Test(arguments: [0, 1, 7])
  func anEchoThatCountsAsVoiceIsInTheFigureOfAllFrames(delay: Int) {
    // For half of the time, the echo is back at 3 dB below the microphone.
    let found = reduction(
      output: { $0 < 600 ? -60 : -23 }, voice: { $0 >= 600 }, delay: delay)
    expect(found, all: 6, withoutVoice: 40)
  }

  @Test func withoutAVoiceBothFiguresAreTheSame() {
    expect(reduction { _ in -62 }, all: 42, withoutVoice: 42)
  }

  @Test func thereIsNoFigureWithoutVoiceIfVoiceIsEverywhere() {
    let found = reduction(output: { _ in -30 }, voice: { _ in true })
    expect(found, all: 10, withoutVoice: nil)
  }

  @Test func theFirstTwoSecondsOfTheFarEndDoNotCount() {
    expect(reduction { $0 < 200 ? -20 : -50 }, all: 30, withoutVoice: 30)
  }

  @Test func mutedFramesDoNotCount() {
    let found = reduction(output: { $0 < 600 ? -50 : -120 }, muted: { $0 >= 600 })
    expect(found, all: 30, withoutVoice: 30)
    #expect(reduction(output: { _ in -120 }, muted: { _ in true }) == .muted)
  }

  @Test func aFarEndThatDoesNotPlayIsNotMeasured() {
    #expect(reduction(output: { _ in -50 }, played: -60) == .notPlayed)
    let empty = ProcessedCall(
      microphone: [], played: [], output: [], voice: [], delay: 3)
    #expect(EchoReduction(empty) == .notPlayed)
  }
}
