import Testing

@testable import VoiceSessions

struct MutedTalkerTests {
  private typealias Change = MutedTalkerDetector.Change

  @Test func speechIntoAMutedMicrophoneStartsAndEndsOnce() {
    var detector = MutedTalkerDetector()
    detector.mute(at: 100)
    #expect(
      changes(&detector, [nil, 100, 100, 100, nil, nil, 300, 300, nil])
        == [.started, .ended, .started, .ended])
    #expect(!detector.isActive)
  }

  @Test func speechThatWasGoingOnCountsOnlyAfterAPause() {
    var detector = MutedTalkerDetector()
    detector.mute(at: 100)
    #expect(changes(&detector, [99, 99, 99]).isEmpty)
    #expect(changes(&detector, [nil, 150, 150]) == [.started])
  }

  @Test func unmutingReportsWhetherSpeechWasActive() {
    var detector = MutedTalkerDetector()
    detector.mute(at: 0)
    _ = changes(&detector, [0])
    let wasActive = detector.reset()
    #expect(wasActive && !detector.isActive)
    let isStillActive = detector.reset()
    #expect(!isStillActive)
  }

  @Test func everyMuteStartsTheDetectionAgain() {
    var detector = MutedTalkerDetector()
    detector.mute(at: 100)
    #expect(changes(&detector, [150]) == [.started])
    _ = detector.reset()
    detector.mute(at: 200)
    #expect(changes(&detector, [150, 150]).isEmpty)
    #expect(changes(&detector, [nil, 250]) == [.started])
  }

  @Test func speechBesideAnEchoCountsOnceItHasLasted() {
    var detector = MutedTalkerDetector()
    detector.mute(at: 0)
    #expect(changes(&detector, Array(repeating: 10, count: 89), besideEcho: true).isEmpty)
    #expect(changes(&detector, [10, nil, 300], besideEcho: true) == [.started, .ended, .started])
  }

  @Test func speechThatBeganBesideAnEchoDoesNotCountSoonerWhenTheEchoEnds() {
    var detector = MutedTalkerDetector()
    detector.mute(at: 0)
    #expect(changes(&detector, Array(repeating: 10, count: 30), besideEcho: true).isEmpty)
    #expect(changes(&detector, Array(repeating: 10, count: 59)).isEmpty)
    #expect(changes(&detector, [10]) == [.started])
    #expect(changes(&detector, [nil, 300]) == [.ended, .started])
  }

  /// Processes frames. Each value is the first sample of the speech in progress, or nil.
  private func changes(
    _ detector: inout MutedTalkerDetector, _ frames: [Int64?], besideEcho: Bool = false
  ) -> [Change] {
    var changes: [Change] = []
    for speech in frames {
      let seen = MutedTalkerDetector.Observation(
        speechSince: speech, hasVoice: speech != nil, mayHaveEcho: besideEcho)
      if let change = detector.process(seen) { changes.append(change) }
    }
    return changes
  }
}
