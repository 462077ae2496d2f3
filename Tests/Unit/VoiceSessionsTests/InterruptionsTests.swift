import Testing

@testable import VoiceSessions

/// Rules for several interruptions, in any order.
struct InterruptionsTests {
  @Test func aSecondBeginningChangesNothing() {
    var interruptions = Interruptions()
    #expect(interruptions.changes(.began(.suspended)) == [.began(.suspended)])
    #expect(interruptions.changes(.began(.suspended)) == [])
    #expect(interruptions.lasting == [.suspended])
  }

  @Test(arguments: [nil] + Interruption.Reason.allCases)
  func anEndWithoutABeginningChangesNothing(reason: Interruption.Reason?) {
    var interruptions = Interruptions()
    #expect(interruptions.changes(.ended(reason, shouldResume: true)) == [])
    #expect(interruptions.isEmpty && !interruptions.stopMicrophone)
  }

  @Test func anEndOfAnotherReasonEndsNothing() {
    var interruptions = Interruptions()
    _ = interruptions.changes(.began(.deviceBusy))
    #expect(interruptions.changes(.ended(.suspended, shouldResume: false)) == [])
    #expect(interruptions.lasting == [.deviceBusy])
  }

  @Test func interruptionsMayOverlapAndEachHasItsEnd() {
    var interruptions = Interruptions()
    _ = interruptions.changes(.began(.deviceBusy))
    _ = interruptions.changes(.began(.suspended))
    #expect(
      interruptions.changes(.ended(.deviceBusy, shouldResume: true))
        == [.ended(.deviceBusy, shouldResume: true)])
    #expect(interruptions.stopMicrophone)
    #expect(
      interruptions.changes(.ended(.suspended, shouldResume: false))
        == [.ended(.suspended, shouldResume: false)])
    #expect(!interruptions.stopMicrophone)
  }

  @Test func anEndWithoutAReasonEndsAllInTheirOrder() {
    var interruptions = Interruptions()
    for reason in [.otherSession, .hardwareMuted] as [Interruption.Reason] {
      _ = interruptions.changes(.began(reason))
    }
    #expect(
      interruptions.changes(.ended(nil, shouldResume: true)) == [
        .ended(.otherSession, shouldResume: true), .ended(.hardwareMuted, shouldResume: true),
      ])
    #expect(interruptions.isEmpty)
  }

  @Test(arguments: Interruption.Reason.allCases)
  func everyInterruptionButAHardwareMuteStopsTheMicrophone(reason: Interruption.Reason) {
    var interruptions = Interruptions()
    _ = interruptions.changes(.began(reason))
    #expect(interruptions.stopMicrophone == (reason != .hardwareMuted))
    #expect(!interruptions.isEmpty)
  }
}

extension Interruptions {
  /// Needed because a mutating call cannot be part of an expectation.
  fileprivate mutating func changes(_ report: InterruptionReport) -> [Interruption] {
    accept(report)
  }
}
