import AudioCore
@testable import AudioFiles
import Foundation
import Testing

struct AudioFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("AudioFileTests-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  @Test(arguments: ["a.wav", "a.flac"], SampleEncoding.allCases)
  func aLosslessFileGivesBackItsSamples(name: String, encoding: SampleEncoding) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent(name).path
    let format = AudioFormat(encoding: encoding, rate: .hz44100, channelCount: 2)
    // 24 bits can represent these values exactly.
    let values = (0..<2000).map { Float($0 - 1000) / 1024 }
    let bytes =
      encoding == .s16
      ? values.flatMap { value in withUnsafeBytes(of: Int16(value * 32767)) { Array($0) } }
      : values.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    var writer: AudioFileWriter? = try AudioFileWriter(path: path, format: format)
    try writer?.write(bytes)
    writer = nil
    let reader = try AudioFileReader(path: path)
    #expect(reader.format == format)
    #expect(reader.sampleCount == 1000)
    #expect(try reader.read(samples: 700) + reader.read(samples: 700) == bytes)
    #expect(try reader.read(samples: 1).isEmpty)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func aSampleThatIsNotFiniteIsReportedWithItsIndex(value: Float) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    let format = AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 2)
    var values = [Float](repeating: 0, count: 1000)
    values[901] = value
    var writer: AudioFileWriter? = try AudioFileWriter(path: path, format: format)
    try writer?.write(values.withUnsafeBytes { Array($0) })
    writer = nil
    let reader = try AudioFileReader(path: path)
    _ = try reader.read(samples: 300)
    let error = #expect(throws: AudioFileError.self) { try reader.read(samples: 300) }
    #expect(error?.problem == "sample 450 is not a finite number")
  }

  @Test func devicesAndPipesGetAWAVFileOfOpenLength() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let format = AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1)
    let null = try AudioFileWriter(path: "/dev/null", format: format)
    try null.write([1, 2, 3, 4])
    #expect(null.sampleCount == 2)
    let full = #expect(throws: AudioFileError.self) {
      try AudioFileWriter(path: "/dev/full", format: format)
    }
    #expect(full?.description == "/dev/full: cannot be written")
    let pipe = folder.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let reading = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reading) }
    try AudioFileWriter(path: pipe, format: format).write([1, 2, 3, 4])
    let bytes = FileHandle(fileDescriptor: reading).availableData
    #expect(bytes.count == 48 && bytes.starts(with: "RIFF".utf8))
    #expect(Array(bytes.suffix(4)) == [1, 2, 3, 4])
  }

  @Test func aFileThatIsNotAudioIsReportedInOneLine() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    for content in [Data(), Data("no audio".utf8)] {
      try content.write(to: URL(fileURLWithPath: path))
      let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: path) }
      #expect(error?.description.contains("\n") == false)
    }
    #expect(throws: AudioFileError.self) { try AudioFileReader(path: path + ".missing") }
    #expect(throws: AudioFileError.self) {
      try AudioFileWriter(
        path: folder.appendingPathComponent("a.xyz").path,
        format: AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1))
    }
  }

  @Test(arguments: [0, 1, 4_294_967_295] as [UInt32])
  func aSampleRateThatIsNotSupportedIsNamed(rate: UInt32) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    var writer: AudioFileWriter? = try AudioFileWriter(
      path: path, format: AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1))
    try writer?.write([UInt8](repeating: 0, count: 4000))
    writer = nil
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    file.replaceSubrange(24..<28, with: withUnsafeBytes(of: rate.littleEndian) { Data($0) })
    try file.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: path) }
    #expect(
      error?.problem
        == "a sample rate of \(rate) Hz is not supported; use one of 8000, 16000, 24000, 32000, 44100, 48000"
    )
  }

  @Test func aDirectoryIsNamedAsOne() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: folder.path) }
    #expect(error?.description == "\(folder.path): is a directory")
  }

  @Test(arguments: ["a.wav", "a.ogg"])
  func aTruncatedFileIsRefused(name: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent(name).path
    var writer: AudioFileWriter? = try AudioFileWriter(
      path: path, format: AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1))
    for _ in 0..<20 { try writer?.write((0..<4000).map { UInt8($0 % 251) }) }
    writer = nil
    #expect(try AudioFileReader(path: path).sampleCount > 0)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: path) }
    #expect(error?.problem.contains("truncated") == true)
  }

  /// A WAV of more than 4 GiB, here with less.
  @Test(arguments: [SampleEncoding.s16, .f32])
  func aFileWithOpenSizesIsReadToItsEnd(encoding: SampleEncoding) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    let format = AudioFormat(encoding: encoding, rate: .hz16000, channelCount: 1)
    var writer: AudioFileWriter? = try AudioFileWriter(path: path, format: format)
    try writer?.write([UInt8](repeating: 0, count: 16_000 * format.bytesPerSampleFrame))
    writer = nil
    OpenSizes.write(to: path)
    let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
    #expect(header[4..<8] == Data(repeating: 0xff, count: 4))
    let bytes = try AudioFileReader(path: path).read(samples: 20_000)
    #expect(bytes.count == 16_000 * format.bytesPerSampleFrame)
    #expect((4_294_960_000..<4_294_967_000).contains(OpenSizes.most))
  }

  /// A program that is killed leaves the file as it is after `save()`.
  @Test(arguments: [1000, 1001])
  func aFileThatGrowsTooLargeHasOpenSizesWhenItIsSaved(sampleCount: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    let writer = try AudioFileWriter(
      path: path, format: AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1),
      mostCounted: 2000)
    try writer.write([UInt8](repeating: 7, count: 1000))
    writer.save()
    try writer.write([UInt8](repeating: 7, count: 2 * sampleCount - 1000))
    writer.save()
    let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(44)
    let hasOpenSizes = header[40..<44] == Data(repeating: 0xff, count: 4)
    #expect(hasOpenSizes == (sampleCount > 1000))
    #expect(try AudioFileReader(path: path).read(samples: 2000).count == 2 * sampleCount)
  }

  /// A missing page is seen at once, and a page with other bytes at the end, when samples are
  /// missing.
  @Test(arguments: [true, false])
  func anOggFileWithAHoleIsRefused(isMissing: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("a.ogg")
    var writer: AudioFileWriter? = try AudioFileWriter(
      path: url.path, format: AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1))
    for _ in 0..<50 {
      try writer?.write((0..<16_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) })
    }
    writer = nil
    #expect(try AudioFileReader(path: url.path).read(samples: 1_000_000).count == 4 * 400_000)
    var file = try Data(contentsOf: url)
    var pages: [Data.Index] = []
    while let page = file[(pages.last.map { $0 + 1 } ?? 0)...].range(of: Data("OggS".utf8)) {
      pages.append(page.lowerBound)
    }
    let middle = pages.count / 2
    if isMissing {
      file.removeSubrange(pages[middle]..<pages[middle + 1])
    } else {
      file[pages[middle] + 200] ^= 0x55
    }
    try file.write(to: url)
    let error = #expect(throws: AudioFileError.self) {
      _ = try AudioFileReader(path: url.path).read(samples: 1_000_000)
    }
    #expect(error?.problem.hasPrefix("the file has a hole") == true, "\(String(describing: error))")
    if isMissing {
      #expect(throws: AudioFileError.self) { try AudioFileReader(path: url.path) }
    }
  }

  /// The sizes that programs write to a pipe: those of sox, arecord and ffmpeg, and 0.
  @Test(arguments: [0, 0x7fff_f000, 0x8000_0000, 0xffff_ffff] as [UInt32], [1, 2])
  func aFileWhoseSizeIsLeftOpenIsReadToItsEnd(size: UInt32, channelCount: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    let bytes = (0..<4000).map { UInt8($0 % 251) }
    var writer: AudioFileWriter? = try AudioFileWriter(
      path: path, format: AudioFormat(encoding: .s16, rate: .hz8000, channelCount: channelCount))
    try writer?.write(bytes)
    writer = nil
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(file.range(of: Data("data".utf8))).upperBound
    for place in [4, place] {
      file.replaceSubrange(
        place..<place + 4, with: withUnsafeBytes(of: size.littleEndian) { Data($0) })
    }
    try file.write(to: URL(fileURLWithPath: path))
    let reader = try AudioFileReader(path: path)
    #expect(try reader.read(samples: 3000) == bytes)
    #expect(size > 0 || reader.sampleCount == 2000 / channelCount)
    try reader.rewind()
    #expect(try reader.read(samples: 3000) == bytes)
  }

  /// A program that writes WAV to a pipe cannot come back to correct the sizes.
  @Test(arguments: [0, 0xffff_ffff] as [UInt32])
  func aPipeWhoseSizeIsLeftOpenIsReadToItsEnd(size: UInt32) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = (0..<4000).map { UInt8($0 % 251) }
    var file = Data("RIFF".utf8) + withUnsafeBytes(of: size.littleEndian) { Data($0) }
    file += Data("WAVEfmt ".utf8) + Data([16, 0, 0, 0, 1, 0, 1, 0])
    file += Data([64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0]) + Data("data".utf8)
    file += withUnsafeBytes(of: size.littleEndian) { Data($0) } + Data(bytes)
    #expect(try Self.read(pipe: file, in: folder) == bytes)
  }

  /// libsndfile reads CAF at any place of the file, which a pipe does not have.
  @Test func anotherFormatInAPipeIsCopied() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let bytes = (0..<4000).map { UInt8($0 % 251) }
    func number(_ value: some FixedWidthInteger) -> Data {
      withUnsafeBytes(of: value.bigEndian) { Data($0) }
    }
    var file = Data("caff".utf8) + Data([0, 1, 0, 0]) + Data("desc".utf8) + number(Int64(32))
    file += number((16_000.0).bitPattern) + Data("lpcm".utf8)
    for value in [2, 2, 1, 1, 16] { file += number(UInt32(value)) }  // little-endian, 2 bytes, mono
    file += Data("data".utf8) + number(Int64(4 + bytes.count)) + Data(count: 4) + Data(bytes)
    #expect(try Self.read(pipe: file, in: folder) == bytes)
  }

  /// A pipe whose writer had no sound.
  @Test func aPipeWithoutSamplesContainsNoAudio() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var file = Data("RIFF".utf8) + Data([36, 0, 0, 0]) + Data("WAVEfmt ".utf8)
    file += Data([16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0])
    file += Data("data".utf8) + Data(count: 4)
    let error = #expect(throws: AudioFileError.self) {
      try Self.read(pipe: file, in: folder)
    }
    #expect(error?.problem == "the file contains no audio")
  }

  /// Reads all samples of a file through a pipe.
  private static func read(pipe file: Data, in folder: URL) throws -> [UInt8] {
    let path = folder.appendingPathComponent("pipe").path
    try #require(mkfifo(path, 0o600) == 0)
    // A thread of its own, because the reader waits for it.
    let writer = Thread { try? FileHandle(forWritingAtPath: path)?.write(contentsOf: file) }
    writer.start()
    return try AudioFileReader(path: path).read(samples: 100_000)
  }

  @Test func aHeaderWithTwoDataChunksIsNamedAsDamaged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    let data = Data("data".utf8) + Data([4, 0, 0, 0, 1, 2, 3, 4])
    var file = Data("RIFF".utf8) + Data([52, 0, 0, 0]) + Data("WAVEfmt ".utf8)
    file += Data([16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0]) + data + data
    try file.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: path) }
    #expect(error?.problem == "the header of the file is damaged", "\(String(describing: error))")
  }

  /// The header for more than 4 GiB that ffmpeg writes to a pipe: its sizes are 0.
  @Test(arguments: [true, false])
  func aLargeFileWhoseSizeIsLeftOpenIsReadToItsEnd(isOpen: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    let bytes = (0..<4000).map { UInt8($0 % 251) }
    var file = Data("RF64".utf8) + Data(repeating: 0xff, count: 4) + Data("WAVEds64".utf8)
    file += Data([28, 0, 0, 0]) + Data(count: 28)
    file += Data("fmt ".utf8) + Data([16, 0, 0, 0, 1, 0, 1, 0])
    file += Data([64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0])
    file += Data("data".utf8) + Data(repeating: 0xff, count: 4)
    if isOpen {
      file += bytes
    } else {
      let size = UInt64(file.count - 8)
      file.replaceSubrange(20..<28, with: withUnsafeBytes(of: size.littleEndian) { Data($0) })
    }
    try file.write(to: URL(fileURLWithPath: path))
    guard isOpen else {
      #expect(throws: AudioFileError.self) { try AudioFileReader(path: path) }
      return
    }
    let reader = try AudioFileReader(path: path)
    #expect(reader.sampleCount == 2000)
    #expect(try reader.read(samples: 3000) == bytes)
  }

  @Test(arguments: ["", "LIST\u{4}\0\0\0INFO"])
  func aFileWithoutSamplesContainsNoAudio(chunk: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.wav").path
    _ = try AudioFileWriter(
      path: path, format: AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1))
    var file = try Data(contentsOf: URL(fileURLWithPath: path)) + Data(chunk.utf8)
    let size = UInt32(file.count - 8)
    file.replaceSubrange(4..<8, with: withUnsafeBytes(of: size.littleEndian) { Data($0) })
    try file.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: path) }
    #expect(error?.problem == "the file contains no audio")
  }
}
