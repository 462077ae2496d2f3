import AudioCore
import Foundation
import TestAudio
import Testing
import TestTime

@testable import VoiceEdge

/// The reader and the writer with real FIFOs.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct FIFOTests {
  private let folder: Folder
  private let lines = Lines()

  init() throws { folder = try Folder() }

  private func ring(_ channels: Int = 1, capacity: Int = 64) -> FrameRing<CaptureNote> {
    FrameRing(rate: .hz8000, channelCount: channels, capacity: capacity, note: CaptureNote())
  }

  /// A ramp in which each value shows the index of its sample.
  private static let ramp = (0..<8000).map { Float($0 + 1) / 16000 }

  @Test func samplesPlayedToAFIFOArriveCompletelyAndInOrder() async throws {
    let ring = ring()
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    // The reader drops samples that were written before it opened the FIFO.
    _ = mkfifo(folder.path("in"), 0o600)
    let descriptor = open(folder.path("in"), O_RDWR | O_NONBLOCK)
    defer { close(descriptor) }
    try await eventually("it reads") { fcntl(descriptor, 1032) == 4096 }
    let feed = FIFOFeed(folder.path("in"), Self.ramp)
    let frame = Frame(rate: .hz8000, channelCount: 1)
    var samples: [Float] = []
    try await eventually("4,000 samples") {
      while ring.read(into: frame) != nil { samples += frame.plane(0) }
      return samples.count >= 4000
    }
    feed.stop()
    reader.stop()
    reader.join()
    #expect(zip(samples, Self.ramp).allSatisfy { abs($0 - $1) < 0.0001 })
  }

  @Test func aWriterIsHeldToThePaceOfTheReader() async throws {
    let ring = ring()
    _ = mkfifo(folder.path("in"), 0o600)
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    let size: Int32 = 1032  // F_GETPIPE_SZ
    let descriptor = open(folder.path("in"), O_RDWR | O_NONBLOCK)
    defer { close(descriptor) }
    try await eventually("it holds little") { fcntl(descriptor, size) == 4096 }
    let feed = FIFOFeed(folder.path("in"), Self.ramp)
    try await eventually("the lead waits") { ring.count >= FIFOReader.lead }
    let count = try await settled("the writer", for: .milliseconds(100)) { feed.count }
    // A FIFO of one page, and the frames that wait in the ring.
    #expect(count <= 2048 + (FIFOReader.lead + 2) * 80 && ring.count == FIFOReader.lead)
    feed.stop()
    reader.stop()
    reader.join()
  }

  @Test func aMicrophoneThatComesInBurstsFindsEveryFrame() async throws {
    let ring = FrameRing(rate: .hz48000, channelCount: 1, capacity: 64, note: CaptureNote())
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    let feed = FIFOFeed(folder.path("in"), Self.ramp)
    try await eventually("it reads") { ring.count > 0 }
    let frame = Frame(rate: .hz48000, channelCount: 1)
    // The longest period of a device is 50 ms.
    for _ in 0..<40 {
      try await eventually("five frames wait") { ring.count >= 5 }
      for _ in 0..<5 { #expect(ring.read(into: frame) != nil) }
    }
    feed.stop()
    reader.stop()
    reader.join()
  }

  @Test(arguments: [2, 4096, 4098, 65534, 65536])
  func oldSamplesAreDroppedAndTheFIFOStaysSmall(count: Int) async throws {
    let ring = ring(2)
    _ = mkfifo(folder.path("in"), 0o600)
    let descriptor = open(folder.path("in"), O_RDWR | O_NONBLOCK)
    defer { close(descriptor) }
    // Left and right differ. The writer stopped in the middle of a pair, or between two pairs.
    let pairs = (0..<40_000).map { Int16($0 % 2 * 1000) }
    try pairs.withUnsafeBytes { bytes in
      try #require(write(descriptor, bytes.baseAddress, count) == count)
    }
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    try await eventually("it holds little") { fcntl(descriptor, 1032) == 4096 }
    try await eventually("it is empty") {
      var left: Int32 = 0
      return ioctl(descriptor, UInt(FIONREAD), &left) == 0 && left == 0
    }
    #expect(ring.count == 0)
    pairs.withUnsafeBytes { bytes in
      let start = count % 4
      #expect(write(descriptor, bytes.baseAddress.map { $0 + start }, 320 - start) == 320 - start)
    }
    try await eventually("a frame") { ring.count == 1 }
    let frame = Frame(rate: .hz8000, channelCount: 2)
    _ = ring.read(into: frame)
    #expect((1..<80).allSatisfy { frame.plane(0)[$0] == 0 && frame.plane(1)[$0] > 0 })
    reader.stop()
    reader.join()
  }

  @Test func writersComeAndGo() async throws {
    let ring = ring()
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    let frame = Frame(rate: .hz8000, channelCount: 1)
    for _ in 0..<3 {
      let feed = FIFOFeed(folder.path("in"), Self.ramp)
      var frames = 0
      try await eventually("20 frames") {
        while frames < 20, ring.read(into: frame) != nil { frames += 1 }
        return frames == 20
      }
      feed.stop()
    }
    reader.stop()
    reader.join()
  }

  /// Samples of 256, whose bytes show whether they are aligned.
  private static let steady = [Int16](repeating: 256, count: 80).withUnsafeBytes { Array($0) }

  /// Opens the FIFO as a program that plays, when a reader takes what comes.
  private func play() async throws -> Int32 {
    var descriptor: Int32 = -1
    try await eventually("it reads") {
      if descriptor < 0 { descriptor = open(folder.path("in"), O_WRONLY | O_NONBLOCK) }
      return descriptor >= 0 && fcntl(descriptor, 1032) == 4096
    }
    return descriptor
  }

  /// Returns the samples of the next frame, as integers.
  private func next(_ ring: FrameRing<CaptureNote>) -> [Int] {
    let frame = Frame(rate: .hz8000, channelCount: 1)
    return ring.read(into: frame) == nil ? [] : frame.plane(0).map { Int($0 * 32768) }
  }

  @Test func aPauseInTheMiddleOfASampleShiftsNothing() async throws {
    let ring = ring()
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    let program = try await play()
    #expect(write(program, Self.steady, 101) == 101)
    try await realTime(.milliseconds(200))
    #expect(write(program, Array(Self.steady[101...]), 59) == 59)
    try await eventually("a frame") { ring.count == 1 }
    #expect(next(ring) == Array(repeating: 256, count: 80))
    close(program)
    reader.stop()
    reader.join()
  }

  @Test func theIncompleteSampleOfAProgramThatHasGoneShiftsNothing() async throws {
    let ring = ring()
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    let first = try await play()
    #expect(write(first, Self.steady, 7) == 7)
    close(first)
    // The rest of its sound is heard.
    try await eventually("a frame") { ring.count == 1 }
    #expect(next(ring) == Array(repeating: 256, count: 3) + Array(repeating: 0, count: 77))
    let second = try await play()
    #expect(write(second, Self.steady, 160) == 160)
    try await eventually("a frame") { ring.count == 1 }
    #expect(next(ring) == Array(repeating: 256, count: 80))
    close(second)
    reader.stop()
    reader.join()
  }

  @Test func aProgramThatOpensTheFIFOAtAnyTimeIsSeenAndGetsSound() async throws {
    let ring = ring()
    let frame = Frame(rate: .hz8000, channelCount: 1)
    let writer = FIFOWriter(path: folder.path("out"), title: "voice", from: ring, log: lines.add)
    let path = folder.path("out")
    try await eventually("the FIFO is there") { FileManager.default.fileExists(atPath: path) }
    for number in 0..<20 {
      // While the writer waits, and at the moment at which it looks again.
      try await realTime(.milliseconds(number * 37))
      let heard = Task.detached { () -> Int in
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 160)
        return read(descriptor, &bytes, bytes.count)
      }
      try await eventually("it is seen") { writer.hasReader }
      _ = ring.write(frame, CaptureNote())
      _ = ring.write(frame, CaptureNote())
      // 0 is the end of the FIFO.
      #expect(await heard.value > 0)
      try await eventually("it has gone") {
        _ = ring.write(frame, CaptureNote())
        return !writer.hasReader
      }
    }
    writer.stop()
    writer.join()
  }

  @Test func aProgramThatRecordsGetsWholeFramesFromNowOn() async throws {
    let ring = ring(2, capacity: 16)
    let frame = Frame(rate: .hz8000, channelCount: 2)
    for index in 0..<80 {
      frame.plane(0)[index] = 0.25
      frame.plane(1)[index] = -0.5
    }
    let old = Frame(rate: .hz8000, channelCount: 2)
    for _ in 0..<8 { _ = ring.write(old, CaptureNote()) }
    let writer = FIFOWriter(path: folder.path("out"), title: "voice", from: ring, log: lines.add)
    // The FIFO has no reader yet. Frames wait, then they are dropped.
    try await realTime(.milliseconds(50))
    for _ in 0..<3 {
      let tap = FIFOTap(folder.path("out"))
      try await eventually("recorded") {
        _ = ring.write(frame, CaptureNote())
        return tap.count >= 160 * 10
      }
      tap.stop()
      // A second reader may receive the rest of a frame, in whole pairs.
      let samples = tap.samples
      #expect(samples.count.isMultiple(of: 2))
      #expect(stride(from: 0, to: samples.count - 1, by: 2).allSatisfy { samples[$0] >= 0 })
      #expect(samples.suffix(160).contains { abs($0 + 0.5) < 0.001 })
    }
    writer.stop()
    writer.join()
  }

  /// Makes another FIFO in place of one.
  private func makeAnew(_ name: String) {
    #expect(unlink(folder.path(name)) == 0 && mkfifo(folder.path(name), 0o600) == 0)
  }

  @Test func aFIFOThatWasMadeAnewIsRead() async throws {
    let ring = ring()
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    let old = try await play()
    makeAnew("in")
    let new = try await play()
    #expect(write(new, Self.steady, 160) == 160)
    try await eventually("a frame") { ring.count == 1 }
    #expect(next(ring) == Array(repeating: 256, count: 80))
    #expect(unlink(folder.path("in")) == 0)
    // The agent makes a FIFO that nobody else makes.
    let third = try await play()
    for program in [old, new, third] { close(program) }
    reader.stop()
    reader.join()
    #expect(lines.all.isEmpty)
  }

  @Test func aFIFOThatWasMadeAnewGetsTheVoice() async throws {
    let ring = ring(capacity: 16)
    let frame = Frame(rate: .hz8000, channelCount: 1)
    let writer = FIFOWriter(path: folder.path("out"), title: "voice", from: ring, log: lines.add)
    let old = FIFOTap(folder.path("out"))
    try await eventually("it is seen") { writer.hasReader }
    makeAnew("out")
    let new = FIFOTap(folder.path("out"))
    try await eventually("recorded") {
      _ = ring.write(frame, CaptureNote())
      return new.count >= 800
    }
    old.stop()
    new.stop()
    writer.stop()
    writer.join()
  }

  @Test func programsThatShareTheVoiceAreReportedOnce() async throws {
    let writer = FIFOWriter(path: folder.path("out"), title: "voice", from: ring(), log: lines.add)
    let first = FIFOTap(folder.path("out"))
    try await eventually("it is seen") { writer.hasReader }
    try await realTime(.milliseconds(1500))
    #expect(lines.all.isEmpty)
    let second = FIFOTap(folder.path("out"))
    try await eventually("told") {
      lines.contain(
        "voice: \(folder.path("out")): another program reads it too, and each gets a part")
    }
    try await remains("told once", for: .milliseconds(1500)) { lines.all.count == 1 }
    first.stop()
    second.stop()
    writer.stop()
    writer.join()
  }

  @Test func aWAVFileOfTheFormatIsHeardWithoutItsHeader() async throws {
    let ring = ring()
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring, log: lines.add)
    for hertz in [8000, 22050, 22050, 8000] {
      let program = try await play()
      let number = withUnsafeBytes(of: UInt32(hertz).littleEndian) { Array($0) }
      let header =
        "RIFF\0\0\0\0WAVEfmt \u{10}\0\0\0\u{1}\0\u{1}\0".utf8 + number
        + [0, 0, 0, 0, 2, 0, 16, 0] + "data".utf8 + [160, 0, 0, 0]
      #expect(write(program, header + Self.steady, header.count + 160) == header.count + 160)
      close(program)
      guard hertz == 8000 else { continue }
      try await eventually("a frame") { ring.count == 1 }
      #expect(next(ring) == Array(repeating: 256, count: 80))
    }
    #expect(
      lines.all == [
        "far-end: \(folder.path("in")): a program writes a WAV file of 22050 Hz x 1, 16 bits, "
          + "which is dropped; the FIFO takes 8000 Hz x 1, 16 bits"
      ])
    reader.stop()
    reader.join()
  }

  @Test func aFileInPlaceOfAFIFOIsReportedOnce() async throws {
    try folder.write("x", "in")
    let reader = FIFOReader(
      path: folder.path("in"), title: "far-end", into: ring(), log: lines.add)
    try await eventually("told") { lines.contain("is not a FIFO") }
    try await remains("told once", for: .milliseconds(100)) { lines.all.count == 1 }
    // The path is used once it is a FIFO.
    try FileManager.default.removeItem(atPath: folder.path("in"))
    try await eventually("made") {
      var info = stat()
      return stat(folder.path("in"), &info) == 0 && info.st_mode & S_IFMT == S_IFIFO
    }
    reader.stop()
    reader.join()

  }

  @Test func aMissingFolderIsReported() async throws {
    let writer = FIFOWriter(
      path: folder.path("no/out"), title: "voice", from: ring(), log: lines.add)
    try await eventually("told") { lines.contain("voice: \(folder.path("no/out")): ") }
    writer.stop()
    writer.join()
  }
}
