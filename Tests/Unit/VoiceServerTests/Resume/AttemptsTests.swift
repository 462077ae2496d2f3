import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// The times between the attempts of a client that never gives up.
struct AttemptsTests {
  private static func status(_ code: StatusCode, reason: String) throws -> Status {
    let info = Google_Rpc_ErrorInfo.with { $0.reason = reason }
    let details = try Google_Rpc_Status.with { $0.details = [try .init(message: info)] }
    return Status(code, reason, details: try details.serializedBytes())
  }

  @Test func aServerThatStopsIsFollowedAtOnceButNotAgainAndAgain() throws {
    var attempts = Attempts()
    let stopping = try Self.status(.unavailable, reason: "DRAINING")
    attempts.sessionEnded(since: .now - .seconds(2))
    #expect(attempts.next(after: stopping) == .zero)
    attempts.sessionEnded(since: .now)
    #expect(attempts.next(after: stopping) >= .milliseconds(140))
    attempts.sessionEnded(since: .now - .seconds(2))
    #expect(attempts.next(after: stopping) == .zero)
  }

  @Test func aNewSessionThatAServerRefusesBecauseItStopsIsTriedAgainLater() throws {
    let stopping = try Self.status(.unavailable, reason: "DRAINING")
    var first = Attempts()
    #expect(first.next(after: stopping) >= .milliseconds(70))
    var afterResumption = Attempts()
    #expect(afterResumption.resumptionRefused() == .zero)
    #expect(afterResumption.next(after: stopping) >= .milliseconds(140))
  }

  @Test func aSessionThatIsLostAtOnceAgainAndAgainIsNoReasonToHurry() {
    var attempts = Attempts()
    attempts.sessionEnded(since: .now - .seconds(2))
    #expect(attempts.next() < .milliseconds(140) && attempts.resumptionRefused() == .zero)
    var pauses: [Duration] = []
    for _ in 0..<3 {
      attempts.sessionEnded(since: .now)
      _ = attempts.next()
      pauses.append(attempts.resumptionRefused())
    }
    #expect(pauses[0] >= .milliseconds(140) && pauses[1] >= .milliseconds(280))
    #expect(pauses[2] >= .milliseconds(350))
  }

  @Test func aSettingThatIsWrongIsTriedAgainAfterAboutFiveSeconds() {
    var attempts = Attempts()
    let pauses = (0..<20).map { _ in attempts.next(after: Status(.invalidArgument, "wrong")) }
    #expect(pauses.allSatisfy { (.milliseconds(3500)...(.milliseconds(6500))).contains($0) })
    #expect(Set(pauses).count > 1)
  }
}
