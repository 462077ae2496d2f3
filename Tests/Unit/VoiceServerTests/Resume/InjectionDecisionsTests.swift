import AnechoicAPI
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// Decisions about injection, which a client makes again in a new session.
struct InjectionDecisionsTests {
  private static func decision(_ client: String, grant: Bool) -> Anechoic_V1_Control {
    .with {
      $0.decideInjectionPermission.client = client
      $0.decideInjectionPermission.grant = grant
    }
  }

  private static func question(_ client: String) -> Anechoic_V1_SessionEvent {
    .with { $0.injectionPermissionRequested.client = client }
  }

  @Test func theLastDecisionAboutAClientCounts() {
    var decisions = InjectionDecisions()
    #expect(decisions.answer(to: Self.question("olga")) == nil)
    decisions.record(Self.decision("olga", grant: true))
    decisions.record(Self.decision("olga", grant: false))
    decisions.record(.with { $0.setMute.muted = true })
    #expect(decisions.answer(to: Self.question("olga")) == Self.decision("olga", grant: false))
    #expect(decisions.answer(to: Self.question("paul")) == nil)
    #expect(decisions.answer(to: .with { $0.muteChanged.state.muted = true }) == nil)
  }

  @Test func theOldestOfTooManyIsForgotten() {
    var decisions = InjectionDecisions()
    for client in 0...InjectionDecisions.capacity {
      decisions.record(Self.decision("\(client)", grant: true))
    }
    #expect(decisions.answer(to: Self.question("0")) == nil)
    #expect(decisions.answer(to: Self.question("1")) != nil)
  }
}
