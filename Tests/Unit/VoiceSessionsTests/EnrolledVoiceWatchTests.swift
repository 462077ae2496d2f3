import Testing

@testable import VoiceSessions

/// The watch for a device that has learnt the voice of the wrong person.
struct EnrolledVoiceWatchTests {
  private typealias Part = (seconds: Double, likeness: Float?)

  /// Returns the changes, with their times in seconds.
  private func changes(_ parts: [Part]) -> [Double: Bool] {
    var watch = EnrolledVoiceWatch()
    var (frame, changes) = (0, [Double: Bool]())
    for (seconds, likeness) in parts {
      for _ in 0..<Int(seconds * 100) {
        frame += 1
        if let change = watch.process(likeness: likeness) { changes[Double(frame) / 100] = change }
      }
    }
    return changes
  }

  @Test func anotherVoiceAloneIsToldAfterTenSeconds() {
    #expect(changes([(5, nil), (30, 0)]) == [15: true])
  }

  @Test func shortSentencesOfAnotherVoiceAreNot() {
    #expect(changes([Part](repeating: (3, 0), count: 1)).isEmpty)
    let sentences: [Part] = (0..<20).flatMap { _ -> [Part] in [(3, 0), (8, nil)] }
    #expect(changes(sentences).isEmpty)
  }

  @Test func theWarningEndsWhenTheEnrolledVoiceTalks() {
    #expect(changes([(12, 0), (0.5, 0.9), (60, nil), (3, 0.9)]) == [10: true, 73.5: false])
  }

  @Test func aTelevisionAfterTheEnrolledVoiceIsNoReason() {
    #expect(changes([(2, 0.9), (300, 0)]).isEmpty)
  }

  @Test func aVoiceInBetweenBelongsToNobody() {
    #expect(changes([(60, 0.5)]).isEmpty)
  }

  @Test func afterAResetAllVoicesAreForgotten() {
    var watch = EnrolledVoiceWatch()
    for _ in 0..<200 { _ = watch.process(likeness: 1) }
    watch.reset()
    var told: [Bool] = []
    for _ in 0..<1_000 { if let change = watch.process(likeness: 0) { told.append(change) } }
    #expect(told == [true] && watch.isActive)
  }
}
