import Testing
import VoiceClient

@testable import VoiceEdge

struct EdgeMuteTests {
  /// Returns the mute of an agent with a session.
  private func mute(session muted: Bool = false) -> EdgeMute {
    var mute = EdgeMute(session: muted)
    _ = mute.requested.began(muted: muted, at: 0)
    return mute
  }

  @Test func forSoundAllHaveToAgree() {
    var mute = mute()
    #expect(!mute.isMuted && mute.holders.isEmpty)
    mute.hardware = true
    #expect(mute.isMuted && mute.holders == [.hardware])
    mute.requested.changed(to: true, at: 0)
    #expect(mute.isMuted && mute.holders == [.session, .hardware])
    mute.hardware = false
    #expect(mute.isMuted && mute.holders == [.session])
    mute.requested.changed(to: false, at: 0)
    #expect(!mute.isMuted && mute.holders.isEmpty)
  }

  @Test func muteThatIsAskedForHoldsAtOnce() {
    var mute = mute()
    mute.requested.ask(true, controlID: 1)
    #expect(mute.isMuted && mute.holders == [.session] && !mute.session)
    mute.requested.changed(to: true, at: 0)
    #expect(mute.isMuted && mute.session)
  }

  @Test func unmuteThatIsAskedForWaitsForTheSession() {
    var mute = mute(session: true)
    mute.requested.ask(false, controlID: 1)
    #expect(mute.isMuted)
    mute.requested.changed(to: false, at: 0)
    #expect(!mute.isMuted)
  }

  @Test func aRefusedMuteHolds() {
    var mute = mute()
    mute.requested.ask(true, controlID: 7)
    mute.requested.answered(controlID: 7, isRefused: true, at: 0)
    #expect(mute.isMuted && mute.heardFrom == .max)
  }

  @Test func aPressIsSilentUntilItIsDecided() {
    var mute = mute(session: true)
    mute.isPressed = true
    #expect(mute.isMuted && mute.heardFrom == .max)
    mute.isPressed = false
    #expect(mute.isMuted && mute.heardFrom == 0)
    mute.requested.changed(to: false, at: 0)
    #expect(!mute.isMuted)
  }
}
