import AnechoicAPI
import Testing

@testable import LiveVoice

/// The controls of a live voice: in their order, and never too many.
struct PendingControlsTests {
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
    while let control = controls.take() { taken.append(control) }
    return taken
  }

  @Test func theyLeaveInTheirOrderWithNumbers() {
    var controls = PendingControls()
    controls.add(Self.decision("a"))
    controls.add(Self.mute(true))
    let taken = Self.all(&controls)
    #expect(taken.map(\.controlID) == [1, 2])
    #expect(taken[0].decideMuteGesture.gestureID == "a" && taken[1].setMute.muted)
    #expect(controls.isEmpty)
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
    #expect(taken.count == 257 && taken.last?.setMute.muted == true)
  }
}
