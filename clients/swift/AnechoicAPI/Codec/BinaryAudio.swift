/// Audio in the binary messages of a WebSocket: parts with a header of 8 bytes, which programs without
/// protobuf write and read. docs/reference/websocket.md describes the form.
package enum BinaryAudio {
  /// The stream of a part. The values of inputs are the fields of `AudioInput`.
  package enum Stream: UInt8, Sendable {
    case microphone = 1
    case reference = 2
    case farEnd = 3
    case otherAudio = 4
    case processed = 16
    case playback = 17
    /// The `FrameInfo` of each 10 ms of the processed output, in 8 bytes.
    case frames = 18
    case recognizer = 19
    case raw = 20

    package var isInput: Bool { rawValue <= Self.otherAudio.rawValue }
  }

  /// The fields that follow the header of a part, in this order.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let firstSample = Flags(rawValue: 1)
    package static let deviceTime = Flags(rawValue: 2)
    static let all: Flags = [.firstSample, .deviceTime]
  }

  /// A message that does not have the form.
  package struct FormatError: Error, Equatable {
    /// The number of the part, from 0.
    package let part: Int
    /// The problem, and the value that would be right.
    package let problem: String
  }

  static let headerSize = 8
  /// Each part begins at a multiple of this size in bytes, so that samples are aligned.
  static let alignment = 8
  /// The size in bytes of the item of a frame.
  static let frameSize = 8

  static func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }
}

extension BinaryAudio {
  private struct Part {
    let stream: Stream
    let gap: UInt8
    var firstSample: Int64?
    var deviceTime: Int64?
    let samples: UnsafeRawBufferPointer

    /// The size in bytes of the `AudioChunk`.
    var chunkSize: Int {
      var size = WireWriter.size(ofBytes: samples.count)
      for value in [firstSample, deviceTime] {
        size += value.map { 1 + WireWriter.size(ofVarint: UInt64(bitPattern: $0)) } ?? 0
      }
      return gap == 0 ? size : size + 2
    }

    func write(to writer: inout WireWriter) {
      writer.writeLength(Int(stream.rawValue), chunkSize)
      writer.writeLength(1, samples.count)
      writer.writeBytes(samples)
      for (field, value) in [(2, firstSample), (3, deviceTime)] {
        guard let value else { continue }
        writer.writeKey(field, .varint)
        writer.writeVarint(UInt64(bitPattern: value))
      }
      guard gap != 0 else { return }
      writer.writeKey(4, .varint)
      writer.writeVarint(UInt64(gap))
    }
  }

  /// Returns the serialized `ProcessRequest` with the audio of a message. Each input occurs at most once.
  package static func request(
    _ message: UnsafeRawBufferPointer
  ) throws(FormatError) -> [UInt8] {
    let parts = try parts(of: message)
    let audioSize = parts.reduce(0) { $0 + WireWriter.size(ofBytes: $1.chunkSize) }
    return [UInt8](unsafeUninitializedCapacity: WireWriter.size(ofBytes: audioSize)) {
      bytes, count in
      var writer = WireWriter(UnsafeMutableRawBufferPointer(bytes))
      writer.writeLength(1, audioSize)
      for part in parts { part.write(to: &writer) }
      count = writer.count
    }
  }

  private static func parts(of message: UnsafeRawBufferPointer) throws(FormatError) -> [Part] {
    var parts: [Part] = []
    var position = 0
    while position < message.count {
      let rest = UnsafeRawBufferPointer(rebasing: message[position...])
      let (part, size) = try part(in: rest, number: parts.count)
      guard !parts.contains(where: { $0.stream == part.stream }) else {
        throw FormatError(part: parts.count, problem: "an input occurs at most once in a message")
      }
      parts.append(part)
      position += aligned(size)
    }
    guard !parts.isEmpty else { throw FormatError(part: 0, problem: "is required") }
    return parts
  }

  private static func part(
    in bytes: UnsafeRawBufferPointer, number: Int
  ) throws(FormatError) -> (Part, size: Int) {
    func fault(_ problem: String) -> FormatError { FormatError(part: number, problem: problem) }
    guard bytes.count >= headerSize else { throw fault("has no complete header of 8 bytes") }
    guard let stream = Stream(rawValue: bytes[0]), stream.isInput else {
      throw fault("\(bytes[0]) is not an input; use 1, 2, 3 or 4")
    }
    let flags = Flags(rawValue: bytes[1])
    guard flags.isSubset(of: .all) else {
      throw fault("the flags \(bytes[1]) do not exist; use 0, 1, 2 or 3")
    }
    guard bytes[2] <= 5, bytes[3] == 0 else {
      throw fault("byte 2 must be a gap reason of 0 to 5, and byte 3 must be 0")
    }
    let fields = headerSize + 8 * [Flags.firstSample, .deviceTime].count(where: flags.contains)
    let size = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    guard bytes.count >= fields, size <= bytes.count - fields else {
      throw fault("has \(max(0, bytes.count - fields)) bytes of samples; the header says \(size)")
    }
    var next = headerSize
    func field(_ flag: Flags) -> Int64? {
      guard flags.contains(flag) else { return nil }
      defer { next += 8 }
      return Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: next, as: Int64.self))
    }
    let (firstSample, deviceTime) = (field(.firstSample), field(.deviceTime))
    let part = Part(
      stream: stream, gap: bytes[2], firstSample: firstSample, deviceTime: deviceTime,
      samples: UnsafeRawBufferPointer(rebasing: bytes[fields..<(fields + size)]))
    return (part, fields + size)
  }
}
