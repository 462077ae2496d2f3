import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing

@testable import VoiceServer

/// A status as pages read it.
struct StatusJSONTests {
  @Test func itHasItsReasonAndTheTimeToWait() {
    let retry = Google_Rpc_RetryInfo.with {
      $0.retryDelay.seconds = 1
      $0.retryDelay.nanos = 500_000_000
    }
    let status = Status(.resourceExhausted, "full", reason: "SERVER_FULL", retry)
    let json = String(decoding: status.json, as: UTF8.self)
    #expect(
      json
        == #"{"code":"RESOURCE_EXHAUSTED","message":"full","reason":"SERVER_FULL","retryDelay":"1.5s"}"#
    )
    #expect(String(decoding: Status(.aborted).json, as: UTF8.self) == #"{"code":"ABORTED"}"#)
  }
}
