import AnechoicAPI
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// The way of mute requests to a server that takes one at a time.
struct MuteRequestsTests {
  private static let now = ContinuousClock.now

  private static func request(_ muted: Bool, _ id: UInt64) -> Anechoic_V1_Control {
    .with {
      $0.controlID = id
      $0.setMute.muted = muted
    }
  }

  @Test func aRefusedRequestIsSentAgainAfterHalfASecond() {
    var requests = MuteRequests()
    requests.add(Self.request(true, 1))
    let first = requests.pop(now: Self.now)
    requests.answered(1, isRefused: true, now: Self.now)
    let early = requests.pop(now: Self.now + .milliseconds(490))
    let later = requests.pop(now: Self.now + .milliseconds(500))
    #expect(first?.controlID == 1 && early == nil && later == first)
    requests.answered(1, isRefused: false, now: Self.now)
    #expect(requests.isEmpty)
  }

  @Test func aLaterRequestTakesThePlaceOfARefusedOne() {
    var requests = MuteRequests()
    requests.add(Self.request(true, 1))
    _ = requests.pop(now: Self.now)
    requests.add(Self.request(false, 2))
    requests.answered(1, isRefused: true, now: Self.now)
    let next = requests.pop(now: Self.now + .seconds(1))
    requests.answered(1, isRefused: true, now: Self.now)
    let another = requests.pop(now: Self.now + .seconds(9))
    #expect(next?.controlID == 2 && another == nil)
  }

  @Test func aRequestThatWasDroppedIsNotSentAgain() {
    var requests = MuteRequests()
    requests.add(Self.request(true, 1))
    _ = requests.pop(now: Self.now)
    requests.drop()
    requests.answered(1, isRefused: true, now: Self.now)
    let next = requests.pop(now: Self.now + .seconds(1))
    #expect(next == nil)
  }
}
