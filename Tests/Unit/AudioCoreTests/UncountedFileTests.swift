import AudioCore
import AudioFiles
import Foundation
import Testing

/// Files whose headers do not have the number of their samples, or have a wrong one.
struct UncountedFileTests {
  private static let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 97) }
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("UncountedFileTests-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func write(_ name: String, _ bytes: [UInt8] = bytes) throws -> Data {
    let path = folder.appendingPathComponent(name).path
    var writer: AudioFileWriter? = try AudioFileWriter(
      path: path, format: AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1))
    try writer?.write(bytes)
    writer = nil
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Returns FLAC with this number of samples, of 36 bits, in its header, and without a checksum of
  /// them.
  private func flac(claiming count: UInt64) throws -> Data {
    var file = try write("whole.flac")
    file[21] = file[21] & 0xf0 | UInt8(count >> 32)
    file.replaceSubrange(
      22..<26, with: withUnsafeBytes(of: UInt32(truncatingIfNeeded: count).bigEndian) { Data($0) })
    file.replaceSubrange(26..<42, with: Data(count: 16))
    return file
  }

  private func store(_ data: Data, _ name: String) throws -> String {
    let url = folder.appendingPathComponent(name)
    try data.write(to: url)
    return url.path
  }

  @Test func flacWithoutACountIsReadToItsEndTwice() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reader = try AudioFileReader(path: store(flac(claiming: 0), "a.flac"))
    #expect(reader.sampleCount == 20_000)
    #expect(try reader.read(samples: 30_000) == Self.bytes)
    #expect(try reader.read(samples: 1).isEmpty)
    try reader.rewind()
    #expect(try reader.read(samples: 30_000) == Self.bytes)
  }

  @Test(arguments: [20_001, 1 << 30, (1 << 36) - 1] as [UInt64])
  func flacThatEndsBeforeItsCountIsTruncated(count: UInt64) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let reader = try AudioFileReader(path: store(flac(claiming: count), "a.flac"))
    let error = #expect(throws: AudioFileError.self) { try reader.read(samples: 30_000) }
    #expect(error?.problem == "the file is truncated")
  }

  @Test func flacThatEndsWithinABlockIsTruncated() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try flac(claiming: 20_000)
    let reader = try AudioFileReader(path: store(file.prefix(file.count * 2 / 3), "a.flac"))
    let error = #expect(throws: AudioFileError.self) { try reader.read(samples: 30_000) }
    #expect(error?.problem.hasPrefix("the file is truncated") == true)
  }

  @Test(arguments: ["a.flac", "a.ogg"])
  func aPipeIsReadLikeAFile(name: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let data = try name.hasSuffix("flac") ? flac(claiming: 0) : write(name)
    let file = try AudioFileReader(path: store(data, "file-" + name))
    let expected = try file.read(samples: 30_000)
    let pipe = folder.appendingPathComponent("pipe").path
    try #require(mkfifo(pipe, 0o600) == 0)
    let writer = Thread {
      try? FileHandle(forWritingAtPath: pipe)?.write(contentsOf: data)
    }
    writer.start()
    let reader = try AudioFileReader(path: pipe)
    #expect(reader.sampleCount == file.sampleCount)
    #expect(try reader.read(samples: 30_000) == expected)
    try reader.rewind()
    #expect(try reader.read(samples: 30_000) == expected)
  }

  @Test func theLinksOfAChainedFileFollowOneAnother() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let one = try write("one.ogg")
    let two = try write("two.ogg", Array(Self.bytes[..<20_000]))
    let parts = try ["one.ogg", "two.ogg"].map {
      try AudioFileReader(path: folder.appendingPathComponent($0).path).read(samples: 30_000)
    }
    let reader = try AudioFileReader(path: store(one + two, "both.ogg"))
    #expect(reader.sampleCount == 30_000)
    for _ in 0..<2 {
      #expect(
        try reader.read(samples: 15_000) + reader.read(samples: 20_000) == parts[0] + parts[1])
      #expect(try reader.read(samples: 1).isEmpty)
      try reader.rewind()
    }
  }

  @Test func aChainOfSeveralFormatsIsRefused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let one = try write("one.ogg")
    let path = folder.appendingPathComponent("two.ogg").path
    var writer: AudioFileWriter? = try AudioFileWriter(
      path: path, format: AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1))
    try writer?.write(Self.bytes)
    writer = nil
    let both = try store(one + Data(contentsOf: URL(fileURLWithPath: path)), "both.ogg")
    let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: both) }
    #expect(error?.problem.contains("several sample rates") == true)
  }

  @Test(arguments: [0, 1, -1, 15_999, 16_000, .max, .min])
  func everyNumberOfSamplesHasADuration(count: Int) {
    let seconds = SampleRate.hz16000.duration(ofSamples: count) / .seconds(1)
    #expect(abs(seconds - Double(count) / 16_000) <= abs(seconds) * 1e-12 + 1e-9)
  }
}
