import AnechoicAPI
import AudioCore
import BundledEngines
import Foundation
@testable import SessionWire
import SwiftProtobuf
import Testing
import VoiceEngines
import VoiceSessions

@testable import VoiceServer

/// The acts that a recorder holds until the session has processed the microphone chunk before them.
final class PendingActTests {
  /// The microphone samples that have arrived.
  private var arrived: Int64 = 0

  /// The capacity of the queues in these tests, in bytes.
  private static let capacity = 1 << 20

  @Test func anActWithoutAPendingChunkIsWrittenAtOnce() throws {
    let (recorder, queue) = try begin()
    recorder.record(Self.piece(samples: 1000))
    #expect(Self.written(to: queue) > 4000)
    recorder.record(.turn)
    #expect(Self.written(to: queue) > 0)
  }

  @Test func actsAfterAChunkAreWrittenWithItAndInOrder() throws {
    let (recorder, queue) = try begin()
    try record(.microphone([UInt8](repeating: 1, count: 320)), recorder)
    recorder.record(.gestureExpired(id: "a"))
    try record(.microphone([UInt8](repeating: 2, count: 320)), recorder)
    recorder.record(.gestureExpired(id: "b"))
    #expect(Self.written(to: queue) == 0)
    recorder.advance(to: 160)
    let first = try Self.acts(queue)
    #expect(first.count == 2 && first.last?.gestureExpired == "a")
    recorder.advance(to: 320)
    let second = try Self.acts(queue)
    #expect(second.count == 2 && second.last?.gestureExpired == "b")
  }

  @Test func injectedSpeechThatWaitsIsBounded() throws {
    let (recorder, queue) = try begin()
    try record(.microphone([UInt8](repeating: 1, count: 162)), recorder)
    for _ in 0..<25 { recorder.record(Self.piece(samples: 10_000)) }
    #expect(queue.isWanted)
    for _ in 0..<2 { recorder.record(Self.piece(samples: 10_000)) }
    #expect(!queue.isWanted)
  }

  /// Each report has some bytes on the wire, and takes the same number of bytes as in the file.
  @Test func manySmallReportsAreHeldInTheBytesThatTheyTakeInTheFile() throws {
    let report = Anechoic_V1_ProcessRequest.with { $0.playbackReport.firstSample = 1 }
    let (recorder, queue) = try begin()
    try record(.microphone([UInt8](repeating: 1, count: 162)), recorder)
    for _ in 0..<20_000 { try record(report, recorder) }
    #expect(queue.isWanted)
    recorder.advance(to: 81)
    #expect((200_000..<Self.capacity).contains(Self.written(to: queue)))
    // Acts that were written no longer count.
    try record(.microphone([UInt8](repeating: 1, count: 162)), recorder)
    var count = 0
    while queue.isWanted, count < 200_000 {
      try record(report, recorder)
      count += 1
    }
    #expect((40_000..<105_000).contains(count))
  }

  @Test func chunksOfASampleCountForTheMemoryThatTheyTake() throws {
    let (recorder, queue) = try begin()
    for _ in 0..<2100 { try record(.microphone([0, 0]), recorder) }
    #expect(!queue.isWanted)
  }

  @Test func nothingIsHeldForSomebodyWhoHasGone() throws {
    let (recorder, queue) = try begin()
    try record(.microphone([UInt8](repeating: 1, count: 162)), recorder)
    queue.lose(.unwanted)
    recorder.record(.turn)
    recorder.finish(at: 0)
    guard case .lost = queue.next() else {
      Issue.record("it is whole")
      return
    }
  }

  /// Returns a recorder, after its header was written and read.
  private func begin() throws -> (SessionRecorder, RecordingQueue) {
    let start = RecordedCall.start
    let queue = RecordingQueue(capacity: Self.capacity) {}
    let recorder = SessionRecorder(
      queue, try SessionSetup(start), start: start, of: RecordedCall.id,
      engine: EngineCatalog.bundled.defaultEngine.identity)
    #expect(Self.written(to: queue) > 0)
    return (recorder, queue)
  }

  private func record(
    _ request: Anechoic_V1_ProcessRequest, _ recorder: SessionRecorder
  ) throws {
    let bytes: [UInt8] = try request.serializedBytes()
    let before = arrived
    arrived += Int64(request.audio.microphone.samples.count / 2)
    bytes.withUnsafeBytes { recorder.record(request: $0, arrived: (before, arrived)) }
  }

  private static func piece(samples: Int) -> SessionAct {
    .injection(
      id: "",
      .piece(InjectedSpeech(processed: [Float](repeating: 0, count: samples), playback: [])))
  }

  /// Removes the bytes from the queue. Returns their number.
  private static func written(to queue: RecordingQueue) -> Int { bytes(queue).count }

  private static func acts(_ queue: RecordingQueue) throws -> [Anechoic_V1_RecordedAct] {
    var reader = try RecordingFormat.Reader(RecordingFormat.magic + bytes(queue))
    var acts: [Anechoic_V1_RecordedAct] = []
    while !reader.isAtEnd { acts.append(try reader.next(Anechoic_V1_RecordedAct.self)) }
    return acts
  }

  private static func bytes(_ queue: RecordingQueue) -> Data {
    var data = Data()
    while case .bytes(let bytes) = queue.next() { data += bytes }
    return data
  }
}
