import AnechoicAPI
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

/// Programs that use one `ProcessStream` from two tasks at the same time.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ConcurrentSendTests {
  @Test func twoSendsAtOnceDoNotEndTheProgram() async {
    await #expect(processExitsWith: .success) {
      try await TestServer.run { server in
        let stream = try await server.client.process(.mediaClock())
        await withTaskGroup { group in
          for _ in 0..<8 {
            group.addTask {
              for _ in 0..<200 {
                try? await stream.send(.with { $0.microphone.samples = Data(count: 320) })
              }
            }
          }
        }
        stream.finish()
        var last: Anechoic_V1_ProcessResponse?
        while let response = try await stream.receive() { last = response }
        try #require(last?.event.sessionEnded.reason == .clientClosed)
      }
    }
  }
}
