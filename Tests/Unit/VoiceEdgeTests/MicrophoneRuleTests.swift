import Testing

@testable import VoiceEdge

/// The table of the cases in which the microphone is open.
struct MicrophoneRuleTests {
  private func rule(
    hasCall: Bool = true, hasSession: Bool = true, muted: Bool = false, hardware: Bool = false,
    detects: Bool = true
  ) -> MicrophoneRule {
    var mute = EdgeMute(session: muted)
    mute.hardware = hardware
    return MicrophoneRule(
      hasCall: hasCall, hasSession: hasSession, mute: mute, detectsMutedTalker: detects)
  }

  @Test func aSessionNeedsIt() {
    #expect(rule().use == .session)
    #expect(rule(detects: false).use == .session)
    #expect(rule(hasSession: false).use == .noSession)
  }

  @Test func betweenCallsNobodyNeedsIt() {
    for muted in [false, true] {
      #expect(rule(hasCall: false, hasSession: false, muted: muted).use == .noCall)
    }
  }

  @Test func whileMutedOnlyTheMutedTalkerNeedsIt() {
    #expect(rule(muted: true).use == .mutedTalker)
    #expect(rule(muted: true, detects: false).use == .muted)
    #expect(rule(hasSession: false, muted: true).use == .noSession)
  }

  @Test func behindTheSwitchOfTheDeviceNobodyIsHeard() {
    #expect(rule(hardware: true).use == .muted)
    #expect(rule(muted: true, hardware: true).use == .muted)
  }

  @Test func aTestNeedsItInAnyCase() {
    for var rule in [rule(hasSession: false), rule(muted: true, detects: false)] {
      rule.isTesting = true
      #expect(rule.use == .test)
    }
  }

  @Test func theConfigurationMayKeepItOpen() {
    var rule = rule(hasSession: false, muted: true, hardware: true, detects: false)
    rule.isAlwaysOpen = true
    #expect(rule.use == .always)
  }

  @Test func theUsesThatOpenIt() {
    let open: [MicrophoneUse] = [.always, .session, .mutedTalker, .test]
    #expect(open.map(\.isOpen) == [true, true, true, true])
    #expect([MicrophoneUse.muted, .noSession, .noCall].map(\.isOpen) == [false, false, false])
  }
}
