internal import AudioCore
internal import Glibc

/// The sound in the bytes that a program writes to a FIFO: raw samples, or a WAV file of the same
/// format, without its header.
struct FIFOSound {
  private enum Kind { case unknown, raw, wave }

  private let format: AudioFormat
  private var kind: Kind
  private var chunks = WaveChunks()
  /// The reason why the last sound was dropped, or nil if it was kept.
  private(set) var problem: String?

  /// - Parameters:
  ///   - format: The format of the samples that the FIFO takes.
  ///   - isBegun: Whether the first bytes are lost already, which would show a WAV file.
  init(_ format: AudioFormat, isBegun: Bool = false) {
    self.format = format
    kind = isBegun ? .raw : .unknown
  }

  /// Moves the sound in new bytes to those before them.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that were kept, and the new ones.
  ///   - start: The number of the bytes that were kept.
  /// - Returns: The number of bytes that are kept now.
  mutating func keep(_ bytes: UnsafeMutableRawBufferPointer, from start: Int) -> Int {
    var start = start
    if kind == .unknown {
      guard let found = Self.kind(of: bytes) else { return bytes.count }
      kind = found
      start = 0
    }
    guard kind == .wave else { return bytes.count }
    var (next, kept) = (start, start)
    while next < bytes.count {
      let part = chunks.part(of: UnsafeRawBufferPointer(rebasing: bytes[next...]))
      if part.isSound { problem = problem(of: chunks.format) }
      if part.isSound, problem == nil, let base = bytes.baseAddress {
        memmove(base + kept, base + next, part.count)
        kept += part.count
      }
      next += part.count
    }
    return kept
  }

  /// Returns the reason why the sound of a WAV file is dropped, or nil if it is kept.
  private func problem(of written: WaveFormat?) -> String? {
    let taken = WaveFormat(format)
    guard let written else { return "a program writes a WAV file without a format" }
    guard written != taken else { return nil }
    return "a program writes a WAV file of \(written), which is dropped; the FIFO takes \(taken)"
  }

  /// Returns nil if there are too few bytes.
  private static func kind(of bytes: UnsafeMutableRawBufferPointer) -> Kind? {
    guard bytes.prefix(4).elementsEqual("RIFF".utf8.prefix(bytes.count)) else { return .raw }
    guard bytes.count >= 12 else { return nil }
    return bytes[8..<12].elementsEqual("WAVE".utf8) ? .wave : .raw
  }
}

/// The format of the samples of a WAV file.
struct WaveFormat: Equatable, CustomStringConvertible {
  private static let (pcm, extensible): (UInt16, UInt16) = (1, 0xFFFE)

  private var coding = pcm
  private var channelCount: UInt16
  private var hertz: UInt32
  private var bits: UInt16

  init(_ format: AudioFormat) {
    channelCount = UInt16(format.channelCount)
    hertz = UInt32(format.rate.hertz)
    bits = UInt16(format.bytesPerSampleFrame / format.channelCount * 8)
  }

  /// Reads the content of a format chunk. Returns nil if it is too short.
  init?(_ chunk: [UInt8]) {
    guard chunk.count >= 16 else { return nil }
    func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
      chunk.withUnsafeBytes {
        Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
      }
    }
    coding = number(at: 0)
    channelCount = number(at: 2)
    hertz = number(at: 4)
    bits = number(at: 14)
    if coding == Self.extensible, chunk.count >= 26 { coding = number(at: 24) }
  }

  var description: String {
    "\(hertz) Hz x \(channelCount), \(bits) bits"
      + (coding == Self.pcm ? "" : " of coding \(coding)")
  }
}

/// The chunks of a WAV file that comes in pieces of any length, and of files that follow it.
private struct WaveChunks {
  /// The sizes of samples from which on a header leaves their number open: a program that writes to
  /// a pipe does not know it. Another size that it may write is 0.
  private static let openSize = 0x7FFF_0000
  /// The bytes of a format chunk that are of use.
  private static let longestFormat = 40

  private enum Chunk { case format, sound, other }

  private(set) var format: WaveFormat?
  private var chunk = Chunk.other
  /// The bytes of the chunk that are still to come.
  private var left = 0
  /// The first bytes of a chunk, or its content.
  private var collected: [UInt8] = []

  /// Returns the number of the first bytes that belong together, and whether they are samples.
  mutating func part(of bytes: UnsafeRawBufferPointer) -> (count: Int, isSound: Bool) {
    guard left > 0 else {
      let count = min(8 - collected.count, bytes.count)
      collected += bytes[..<count]
      if collected.count == 8 { begin() }
      return (count, false)
    }
    let count = min(left, bytes.count)
    if chunk == .format { collected += bytes[..<min(count, Self.longestFormat - collected.count)] }
    left -= count
    if left == 0, chunk == .format { endFormat() }
    return (count, chunk == .sound)
  }

  private mutating func begin() {
    let size = collected[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
    left = size + size % 2
    switch String(decoding: collected[..<4], as: UTF8.self) {
    case "RIFF": (chunk, left) = (.other, 4)  // Its content is chunks, after the word WAVE.
    case "fmt ": chunk = .format
    case "data":
      chunk = .sound
      if size == 0 || size >= Self.openSize { left = .max }
    default: chunk = .other
    }
    collected = []
  }

  private mutating func endFormat() {
    format = WaveFormat(collected)
    collected = []
  }
}
