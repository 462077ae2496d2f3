import AnechoicAPI
import Testing

@testable import LiveVoice

/// The controls of a live voice: in their order, and never too many.
struct PendingControlsTests {
  private static let now = ContinuousClock.now

  private static func mute(_ muted: Bool) -> Anechoic_V1_Control {
    var control = Anechoic_V1_Control()
    control.setMute.muted = muted
    return control
  }

  private static func decision(_ id: String) -> Anechoic_V1_Control {
    var control = Anechoic_V1_Control()
    control.decideMuteGesture.gestureID = id
    return control
  }

  private static func all(_ controls: inout PendingControls) -> [Anechoic_V1_Control] {
    var taken: [Anechoic_V1_Control] = []
    while let control = controls.pop(now: now) { taken.append(control) }
    return taken
  }

  @Test func decisionsLeaveInTheirOrderWithNumbersAfterTheMute() {
    var controls = PendingControls()
    #expect(controls.add(Self.decision("a")) == 1)
    #expect(controls.add(Self.mute(true)) == 2)
    #expect(controls.add(Self.decision("b")) == 3)
    let taken = Self.all(&controls)
    #expect(taken.map(\.controlID) == [2, 1, 3] && taken[0].setMute.muted)
    #expect(controls.isEmpty)
  }

  @Test func aMuteWaitsForTheAnswerToTheLastOne() {
    var controls = PendingControls()
    let first = controls.add(Self.mute(true))
    #expect(controls.pop(now: Self.now)?.controlID == first)
    for muted in [false, true, false] { controls.add(Self.mute(muted)) }
    controls.add(Self.decision("a"))
    #expect(Self.all(&controls).map(\.decideMuteGesture.gestureID) == ["a"])
    #expect(!controls.isEmpty)
    controls.answered(first, isRefused: false, now: Self.now)
    let next = Self.all(&controls)
    #expect(next.map(\.setMute.muted) == [false])
  }

  @Test func anUnmuteWaitsForTheAudioFromBeforeItAndAMuteDoesNot() {
    var controls = PendingControls()
    controls.add(Self.mute(false), at: 1000)
    controls.add(Self.mute(false), at: 2000)
    #expect(controls.pop(now: Self.now, sent: 999) == nil)
    #expect(controls.pop(now: Self.now, sent: 1000)?.setMute.muted == false)
    controls = PendingControls()
    controls.add(Self.mute(false), at: 1000)
    controls.add(Self.mute(true), at: 2000)
    #expect(controls.pop(now: Self.now, sent: 999)?.setMute.muted == true)
  }

  @Test func onlyTheLastOfSeveralMuteStatesIsSent() {
    var controls = PendingControls()
    for muted in [true, false, true] { controls.add(Self.mute(muted)) }
    let taken = Self.all(&controls)
    #expect(taken.map(\.setMute.muted) == [true])
  }

  @Test func tooManyDecisionsNeverDisplaceTheMuteState() {
    var controls = PendingControls()
    for number in 0..<1000 { controls.add(Self.decision("\(number)")) }
    controls.add(Self.mute(true))
    controls.add(Self.decision("late"))
    let taken = Self.all(&controls)
    #expect(taken.count == 257 && taken.first?.setMute.muted == true)
  }
}
