import AcousticSimulator
import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// The echo reduction as a person hears it.
struct HeardReductionTests {
  /// Adds frames with a microphone of -20 dBFS.
  private func add(
    _ count: Int, to heard: inout HeardReduction, reference: Float = 0.01, output: Float = 1e-5,
    hasVoice: Bool = false, isMuted: Bool = false
  ) {
    for _ in 0..<count {
      heard.process(
        HeardReduction.Observation(
          microphone: 0.01, reference: reference, output: output, hasVoice: hasVoice,
          isMuted: isMuted))
    }
  }

  @Test func nothingIsMeasuredBeforeTheReferenceHasSoundedForTwoSeconds() {
    var heard = HeardReduction(delay: .zero)
    add(200, to: &heard)
    #expect(heard.isReferenceActive && heard.recent == nil && heard.ofSession == nil)
    add(100, to: &heard)
    #expect(abs((heard.recent ?? 0) - 30) < 0.1)
    #expect(abs((heard.ofSession ?? 0) - 30) < 0.1)
  }

  @Test func theRestOfTheReferenceDoesNotCount() {
    var heard = HeardReduction(delay: .zero)
    add(300, to: &heard)
    // The echo goes on for 0.3 s. After that nothing plays.
    add(29, to: &heard, reference: 0)
    #expect(heard.isReferenceActive)
    add(500, to: &heard, reference: 0, output: 0.01)
    #expect(!heard.isReferenceActive)
    #expect(abs((heard.ofSession ?? 0) - 30) < 0.1)
  }

  @Test func mutedFramesAndThoseWithVoiceDoNotCount() {
    var heard = HeardReduction(delay: .zero)
    add(300, to: &heard)
    add(300, to: &heard, output: 0, isMuted: true)
    add(300, to: &heard, output: 0.01, hasVoice: true)
    #expect(abs((heard.recent ?? 0) - 30) < 0.1)
    #expect(abs((heard.ofSession ?? 0) - 30) < 0.1)
  }

  @Test func theRecentReductionIsThatOfTheLastSecond() {
    var heard = HeardReduction(delay: .zero)
    add(400, to: &heard, output: 0.001)
    add(100, to: &heard)
    #expect(abs((heard.recent ?? 0) - 30) < 0.1)
    #expect(abs((heard.ofSession ?? 0) - 11.6) < 0.5, "\(heard.ofSession ?? 0)")
  }

  @Test func withVoiceAllTheTimeAllFramesCount() {
    var heard = HeardReduction(delay: .zero)
    add(400, to: &heard, output: 0.001, hasVoice: true)
    #expect(heard.recent == nil)
    #expect(abs((heard.ofSession ?? 0) - 10) < 0.1)
  }

  @Test func theOutputFollowsTheMicrophoneByTheDelay() {
    var heard = HeardReduction(delay: .milliseconds(30))
    add(300, to: &heard, reference: 0)
    add(200, to: &heard)
    // The first frame that counts comes out three frames later.
    add(3, to: &heard)
    #expect(heard.ofSession == nil)
    add(1, to: &heard)
    #expect(heard.ofSession != nil)
  }

  @Test func aSessionTellsWhatAPersonHears() async throws {
    let run = try EchoRun(EchoRun.scene(lag: 0.1), farEnd: try await Voices.far(seconds: 8))
    try run.run()
    let heard = run.session.statistics.heard
    let reduction = try #require(heard.reductionOfSession)
    #expect(abs(reduction - run.reduction(2..<8)) < 6, "\(reduction), \(run.reduction(2..<8))")
    #expect(run.session.statistics.levels.reference != nil)
  }

  @Test func aSessionWithoutAReferenceTellsNothing() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.1), farEnd: try await Voices.far(seconds: 4), from: .none)
    try run.run()
    let statistics = run.session.statistics
    #expect(statistics.heard == .init() && statistics.levels.reference == nil)
  }
}
