import AnechoicAPI
import AudioCore
import Foundation
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// Sessions that are held up and then catch up.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct StallTests {
  private static let realTime = Anechoic_V1_Start.mediaClock().with { $0.pacing = .realTime }

  @Test func theDelayIsNormalTwoSecondsAfterAStall() async throws {
    try await TestServer.run { server in
      let client = StalledClient(server: server, before: 50, during: 300, after: 250)
      let (delays, recording) = try await client.run(Self.realTime)
      #expect(recording.frames.count == 600)
      let settled = try #require(delays.dropFirst(550).sorted().dropLast(5).last)
      #expect(settled < .milliseconds(300), "\(settled)")
    }
  }

  /// The client sends what waited for another session. Its output is late at first, and on time again
  /// after 5 s.
  @Test func olderAudioAtTheStartIsMadeUp() async throws {
    try await TestServer.run { server in
      let client = StalledClient(
        server: server, before: 0, during: 150, after: 800, age: .milliseconds(1500))
      let (delays, recording) = try await client.run(Self.realTime)
      #expect(recording.frames.count == 950)
      let late = delays[150..<250].sorted()[50]
      #expect(late > .milliseconds(600), "\(late)")
      let settled = try #require(delays.dropFirst(700).sorted().dropLast(5).last)
      #expect(settled < .milliseconds(300), "\(settled)")
      let warnings = recording.events.filter { $0.captureWarning.problem == .early }
      #expect(warnings.map(\.captureWarning.active) == [true, false])
    }
  }

  /// Twenty sessions each leave a gap of nine seconds. A neighbour on the same thread counts its
  /// answers meanwhile, because a busy machine slows both down equally.
  @Test(arguments: [true, false])
  func longGapsOfOthersHoldUpNobody(atTheEnd: Bool) async throws {
    try await TestServer.run { server in
      let answers = try await Neighbour.answers(server) {
        try await withThrowingTaskGroup { group in
          for _ in 0..<20 {
            group.addTask { try await Self.leaveOutNineSeconds(server, atTheEnd: atTheEnd) }
          }
          try await group.waitForAll()
        }
      }
      // The server processes 18,000 frames meanwhile, 10 in a turn. With turns of 100 frames, the
      // neighbour had 104 and 136 answers; with turns of 10, 243 on a machine with other guests.
      #expect(answers > 200, "\(answers)")
    }
  }

  /// At the end, the frames wait for a reference that never comes.
  private static func leaveOutNineSeconds(_ server: TestServer, atTheEnd: Bool) async throws {
    let gap = Anechoic_V1_ProcessRequest.with {
      $0.audio.microphone.samples = Data(AudioFormat.s16.babble(10))
      $0.audio.microphone.firstSample = Int64(9 * AudioFormat.s16.rate.hertz)
    }
    let start = Anechoic_V1_Start.mediaClock(reference: atTheEnd ? .s16 : nil)
    let recording = try await server.record(start, [gap])
    #expect(recording.frames.count == 901)
  }
}

/// A session that sends the next frame when the last one was answered.
private enum Neighbour {
  /// Returns the number of frames that were answered while `body` ran.
  static func answers(_ server: TestServer, _ body: () async throws -> Void) async throws -> Int {
    var answers = 0
    _ = try await RunningClient.run(server) { client, _ in
      let before = client.framesAnswered
      try await body()
      answers = client.framesAnswered - before
    }
    return answers
  }
}
