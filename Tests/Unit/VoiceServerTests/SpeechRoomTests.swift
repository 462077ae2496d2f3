import GRPCTransport
import Testing

@testable import VoiceServer

struct SpeechRoomTests {
  @Test func speechWaitsWhileThereIsRoom() throws {
    let room = SpeechRoom(samples: 100)
    var first: WaitingSpeech? = try room.take(60)
    #expect(throws: Status.self) { try room.take(41) }
    let second = try room.take(40)
    first = nil
    _ = try room.take(60)
    withExtendedLifetime((first, second)) {}
  }
}
