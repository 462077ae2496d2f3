import Testing

@testable import VoiceSessions

struct MuteStateTests {
  private let panel = ControlOrigin(actor: "panel", isMediaClient: false)

  @Test func everyChangeRaisesTheGenerationByOne() throws {
    var state = MuteState(isMuted: false, origin: .mediaClient)
    for change in 1...5 {
      let isChanged = try state.set(!state.isMuted, by: panel, source: .controlClient)
      #expect(isChanged)
      #expect(state.generation == UInt64(change))
      #expect(state.isMuted == !change.isMultiple(of: 2))
    }
  }

  @Test func theSameStateAgainChangesNothing() throws {
    var state = MuteState(isMuted: true, origin: .mediaClient)
    let before = state
    let isChanged = try state.set(true, by: panel, source: .gesture)
    #expect(!isChanged)
    #expect(state == before)
  }

  @Test func theStateContainsItsActorAndSource() throws {
    var state = MuteState(isMuted: false, origin: .mediaClient)
    #expect(state.source == .mediaClient && state.generation == 0)
    _ = try state.set(true, by: panel, source: panel.muteSource)
    #expect(state.origin == panel && state.source == .controlClient)
    _ = try state.set(false, by: panel, source: .gesture)
    #expect(state.source == .gesture)
  }

  @Test func theExpectedGenerationAllowsAChange() throws {
    var state = MuteState(isMuted: false, origin: .mediaClient)
    _ = try state.set(true, ifGeneration: 0, by: panel, source: .controlClient)
    _ = try state.set(false, ifGeneration: 1, by: panel, source: .controlClient)
    #expect(state.generation == 2 && !state.isMuted)
  }

  @Test(arguments: [true, false], [0, 1, 3] as [UInt64])
  func aStaleGenerationIsAlwaysRefused(muted: Bool, expected: UInt64) throws {
    var state = MuteState(isMuted: false, origin: .mediaClient)
    _ = try state.set(true, by: panel, source: .controlClient)
    _ = try state.set(false, by: panel, source: .controlClient)
    let before = state
    let refusal = #expect(throws: Refusal.self) {
      try state.set(muted, ifGeneration: expected, by: panel, source: .controlClient)
    }
    #expect(refusal?.kind == .aborted && refusal?.reason == "STALE_GENERATION")
    #expect(state == before)
  }
}
