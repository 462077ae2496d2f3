import AnechoicAPI
import ScriptedSessions
import SwiftProtobuf
import Testing

@testable import anechoic

/// The words for the events of a session, which are generated from proto/anechoic/v1/events.proto.
struct EventWordsTests {
  @Test func everyEventOfTheProtocolHasWords() throws {
    let events = try EveryEvent.read()
    #expect(events.count >= 23)
    for event in events {
      #expect(event.phrase != Anechoic_V1_SessionEvent().phrase, "\(event)")
      #expect(event.phrase.count > 3, "\(event)")
    }
  }

  @Test(arguments: [
    (#"{"muteChanged": {"state": {"muted": true, "generation": 2}}}"#, "muted, generation 2"),
    (
      #"{"muteChanged": {"state": {"generation": 3, "actor": "olga", "source": 2}}}"#,
      "live by olga (control client), generation 3"
    ),
    (
      #"{"micModeChanged": {"preferred": 2, "active": 1, "reason": "OVERLOAD"}}"#,
      "mic mode standard (preferred: voice isolation): OVERLOAD"
    ),
    (#"{"duckingChanged": {"gainDb": -30}}"#, "other audio at -30.0 dB, nobody talks"),
    (
      #"{"duckingChanged": {"gainDb": -10, "talking": 1}}"#,
      "other audio at -10.0 dB, near end talks"
    ),
    (
      #"{"routeChanged": {"reason": 1, "current": {"input": {"portId": "a", "type": 2}}}}"#,
      "route changed, new device: to a (usb) > no output"
    ),
    (
      #"{"routeChanged": {"reason": 5, "previous": {"output": {"displayName": "Ear", "headphones": true}}}}"#,
      "route changed, no suitable route: from no input > Ear (headphones) to none"
    ),
    (
      #"{"interruption": {"reason": 1, "shouldResume": true}}"#,
      "interruption ended: device busy, audio may resume"
    ),
    (
      #"{"discontinuity": {"input": 3, "farEndId": "bob", "reason": 5, "missingSamples": 160}}"#,
      "160 samples of far end bob are missing: connection lost"
    ),
    (
      #"{"echoPathChanged": {"delay": "0.120s", "converged": true}}"#,
      "the echo is 0.12 s behind the reference, and is removed"
    ),
  ])
  func theWordsFollowTheValues(json: String, words: String) throws {
    #expect(try Anechoic_V1_SessionEvent(jsonString: json).phrase == words)
  }
}
