internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

/// How a recording lies in a file.
enum RecordingFormat {
  static let magic = Array("anechoic recording 1\n".utf8)
  /// Of one message: a second of the largest audio, and some.
  private static let longestMessage = 16 << 20

  static func delimited(_ message: some Message) -> [UInt8] {
    let bytes: [UInt8] = (try? message.serializedBytes()) ?? []
    var length: [UInt8] = []
    var rest = bytes.count
    while rest >= 0x80 {
      length.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return length + [UInt8(rest)] + bytes
  }

  /// The messages of a recording, one after another.
  struct Reader {
    private var rest: Data.SubSequence

    /// Throws for what is no recording, one of another version, or only the beginning of one.
    init(_ data: Data) throws(RecordingError) {
      guard data.starts(with: magic) else {
        if !data.isEmpty, magic.starts(with: data) { throw .cutOff }
        let isNewer = data.starts(with: magic.prefix(magic.count - 2))
        throw isNewer ? .otherVersion : .notARecording
      }
      rest = data.dropFirst(magic.count)
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Throws where the file is cut off or damaged.
    mutating func next<Item: Message>(_ type: Item.Type) throws(RecordingError) -> Item {
      let bytes = try nextBytes()
      guard let message = try? Item(serializedBytes: bytes) else { throw .damaged }
      return message
    }

    private mutating func nextBytes() throws(RecordingError) -> Data {
      var (length, shift) = (0, 0)
      while let byte = rest.popFirst() {
        length |= Int(byte & 0x7F) << shift
        shift += 7
        guard length <= longestMessage, shift < 35 else { throw .damaged }
        guard byte < 0x80 else { continue }
        guard length <= rest.count else { throw .cutOff }
        defer { rest = rest.dropFirst(length) }
        return Data(rest.prefix(length))
      }
      throw .cutOff
    }
  }
}

/// What is wrong with a recording.
public enum RecordingError: Error, Equatable, CustomStringConvertible {
  case notARecording, otherVersion, damaged, cutOff
  /// Its start is none that this version can begin with.
  case impossibleStart(String)

  public var description: String {
    switch self {
    case .notARecording: "is not a recording"
    case .otherVersion: "is a recording of another version"
    case .damaged: "is damaged"
    case .cutOff: "is cut off"
    case .impossibleStart(let problem): "cannot be started: \(problem)"
    }
  }
}
