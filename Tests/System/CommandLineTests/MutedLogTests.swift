import AudioCore
import AudioFiles
import Foundation
import TestAudio
import Testing

/// The output of the programs about a session that is muted from the start.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MutedLogTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func theSoundOfAMutedMicrophoneIsWrittenNowhere() async throws {
    try folder.writeCall(milliseconds: 3000)
    let server = try await ServerProcess(in: folder)
    let media = try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "out.wav", "--muted", "--events",
        "events.jsonl", "--server", server.address,
      ], in: folder)
    #expect(media.status == 0, "\(media.errors)")
    server.command.signal(SIGTERM)
    let log = try await server.command.wait()
    let samples = try folder.data("microphone.wav").dropFirst(44)
    let out = try folder.data("out.wav").dropFirst(44)
    #expect(out.count == samples.count && out.allSatisfy { $0 == 0 })
    for written in [
      try folder.data("events.jsonl"), log.output, Data(log.errors.utf8), media.output,
      Data(media.errors.utf8),
    ] {
      // The text is too short to contain the audio in any encoding, and contains no part of it.
      #expect(written.count < samples.count / 10)
      #expect(!contains(written, windowOf: Array(samples)))
    }
  }

  /// Returns whether the files contain any eight consecutive bytes of the audio's loud parts.
  private func contains(_ written: Data, windowOf audio: [UInt8]) -> Bool {
    let windows = stride(from: 0, to: audio.count - 8, by: 2).map { Array(audio[$0..<$0 + 8]) }
    let loud = Set(windows.filter { Set($0).count > 4 })
    let bytes = Array(written)
    return (0...max(0, bytes.count - 8)).contains { offset in
      loud.contains(Array(bytes[offset...].prefix(8)))
    }
  }
}
