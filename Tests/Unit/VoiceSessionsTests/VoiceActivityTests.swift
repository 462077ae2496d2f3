import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

struct VoiceActivityTests {
  private typealias Change = VoiceActivityDetector.Change

  @Test func speechOfTheStartWindowBeginsWhereItsFirstFrameWas() {
    #expect(changes("..vvvvvvvvvvvv") == [.began(atFrame: 2)])
    #expect(changes("..vvvvvvvvv").isEmpty)
  }

  @Test func aFlickeringVerdictStillCounts() {
    #expect(changes("vvvvv.vvvvv.vvvv") == [.began(atFrame: 0)])
    #expect(changes("v.v.v.v.v.v.v.v.v.v.v.v.v.v.").isEmpty)
  }

  @Test func silenceOfTheHangoverEndsWhereTheLastVoiceWas() {
    let speech = String(repeating: "v", count: 15)
    #expect(
      changes(speech + String(repeating: ".", count: 30))
        == [.began(atFrame: 0), .ended(atFrame: 15)])
    #expect(changes(speech + String(repeating: ".", count: 29)).count == 1)
    #expect(changes(speech + String(repeating: ".", count: 29) + speech).count == 1)
  }

  @Test func speechThatIsEndedBeginsAnew() {
    var detector = VoiceActivityDetector(SessionConfiguration.VoiceActivity())
    #expect(detector.end() == nil)
    for _ in 0..<15 { _ = detector.process(hasVoice: true) }
    #expect(detector.end() == .ended(atFrame: 15))
    #expect(detector.end() == nil && detector.isQuiet)
    let later = (0..<15).compactMap { _ in detector.process(hasVoice: true) }
    #expect(later == [.began(atFrame: 15)])
  }

  @Test func aShortPauseIsPartOfTheSpeech() {
    var detector = VoiceActivityDetector(SessionConfiguration.VoiceActivity())
    for verdict in "..vvvvvvvvvvvvv............vvv" {
      _ = detector.process(hasVoice: verdict == "v")
    }
    #expect(detector.isActive && detector.onsetFrame == 2)
  }

  @Test func nothingIsReportedUntilDetectionIsEnabled() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    try run.send(
      microphone: encode([Signals.babble(32000, rate: .hz16000)], .s16), in: 320)
    run.finish()
    #expect(run.sink.kinds == [.ended(.clientClosed)])
    #expect(run.sink.frames.count == 200)
  }

  private func changes(_ verdicts: String) -> [Change] {
    var detector = VoiceActivityDetector(SessionConfiguration.VoiceActivity())
    return verdicts.compactMap { detector.process(hasVoice: $0 == "v") }
  }
}
