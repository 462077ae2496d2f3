import AudioCore
import Testing

@testable import VoiceEdge

/// WAV files in place of raw samples.
struct FIFOSoundTests {
  private static let format = AudioFormat(encoding: .s16, rate: .hz16000, channelCount: 1)
  private static let samples = (0..<400).map { UInt8($0 % 251) }

  private static func number(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func chunk(_ name: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
    name.utf8 + number(UInt32(size ?? content.count)) + content
  }

  /// A file with a chunk before the samples, and one after them.
  private static func file(
    coding: UInt16 = 1, hertz: Int = 16000, channels: UInt16 = 1, bits: UInt16 = 16,
    more: [UInt8] = [], size: Int? = nil
  ) -> [UInt8] {
    let width = channels * bits / 8
    let format =
      number(coding) + number(channels) + number(UInt32(hertz))
      + number(UInt32(hertz * Int(width))) + number(width) + number(bits) + more
    let parts = chunk("fmt ", format) + chunk("LIST", [1, 2, 3, 4, 5, 6, 7, 0], size: 7)
    let end = size == nil ? chunk("LIST", [9, 9]) : []
    return chunk("RIFF", "WAVE".utf8 + parts + chunk("data", samples, size: size) + end)
  }

  /// Returns the sound in bytes that come in pieces, and the reason why it is dropped.
  private func sound(
    _ bytes: [UInt8], pieces: Int = 7, isBegun: Bool = false
  ) -> (kept: [UInt8], problem: String?) {
    var sound = FIFOSound(Self.format, isBegun: isBegun)
    var (kept, problem): ([UInt8], String?) = ([], nil)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let known = kept.count
      kept += bytes[start..<min(bytes.count, start + pieces)]
      let count = kept.withUnsafeMutableBytes { sound.keep($0, from: known) }
      kept.removeLast(kept.count - count)
      problem = problem ?? sound.problem
    }
    return (kept, problem)
  }

  @Test(arguments: [1, 3, 12, 44, 4096])
  func theHeaderAndOtherChunksAreNoSound(pieces: Int) {
    let twice = sound(Self.file() + Self.file(), pieces: pieces)
    #expect(twice.kept == Self.samples + Self.samples && twice.problem == nil)
  }

  @Test(arguments: [0, 0x7FFF_F000, 0xFFFF_FFFF])
  func aHeaderThatLeavesTheLengthOpenIsFollowedBySound(size: Int) {
    let open = sound(Self.file(size: size) + Self.samples)
    #expect(open.kept == Self.samples + Self.samples && open.problem == nil)
  }

  @Test func anExtensibleHeaderNamesItsCoding() {
    let more = Self.number(UInt16(22)) + Self.number(UInt16(16)) + Self.number(UInt32(4))
    #expect(
      sound(Self.file(coding: 0xFFFE, more: more + Self.number(UInt64(1)))).kept == Self.samples)
    let float = sound(Self.file(coding: 0xFFFE, more: more + Self.number(UInt64(3))))
    #expect(float.kept.isEmpty && float.problem?.contains("16 bits of coding 3") == true)
  }

  @Test(
    arguments: [
      (22050, 1, 16, "22050 Hz x 1, 16 bits"), (16000, 2, 16, "16000 Hz x 2, 16 bits"),
      (16000, 1, 8, "16000 Hz x 1, 8 bits"),
    ] as [(Int, UInt16, UInt16, String)])
  func aFileOfAnotherFormatIsDroppedWithAReason(
    hertz: Int, channels: UInt16, bits: UInt16, words: String
  ) {
    let (kept, problem) = sound(Self.file(hertz: hertz, channels: channels, bits: bits))
    #expect(kept.isEmpty)
    #expect(
      problem
        == "a program writes a WAV file of \(words), which is dropped; "
        + "the FIFO takes 16000 Hz x 1, 16 bits")
  }

  @Test func otherBytesAreSamples() {
    for bytes in [Self.samples, Array("RIFF\0\0\0\0AVI 1234".utf8), Array("RI".utf8), [82]] {
      #expect(sound(bytes).kept == bytes)
    }
    #expect(sound(Self.file(), isBegun: true).kept == Self.file())
  }
}
