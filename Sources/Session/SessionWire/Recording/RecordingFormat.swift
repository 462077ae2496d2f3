internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf
public import VoiceEngines

/// The format of a recording's file, as proto/anechoic/v1/recording.proto describes it.
enum RecordingFormat {
  static let magic = Array("anechoic recording 1\n".utf8)
  /// The maximum size of a message in bytes. One second of audio in any format is smaller.
  private static let longestMessage = 16 << 20

  /// Returns the message, preceded by its length as a varint.
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

  /// A reader of the messages of a recording, one after another.
  struct Reader {
    private var rest: Data.SubSequence

    /// Creates a reader after the first line. Throws if the data is not a recording, is a recording
    /// of another version, or ends within the first line.
    init(_ data: Data) throws(RecordingError) {
      guard data.starts(with: magic) else {
        if !data.isEmpty, magic.starts(with: data) { throw .cutOff }
        let isNewer = data.starts(with: magic.prefix(magic.count - 2))
        throw isNewer ? .otherVersion : .notARecording
      }
      rest = data.dropFirst(magic.count)
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads the next message. Throws if the data is damaged or ends within the message.
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

/// The reason why a recording cannot be replayed. The description follows the name of the file.
public enum RecordingError: Error, Equatable, CustomStringConvertible {
  case notARecording, otherVersion, damaged, cutOff
  /// The program does not have the engine that the recording was made with.
  case unknownEngine(EngineIdentity, known: [String])
  /// This version cannot start the recorded session, for this reason.
  case impossibleStart(String)

  public var description: String {
    switch self {
    case .notARecording: "is not a recording"
    case .otherVersion: "is a recording of another version"
    case .damaged: "is damaged"
    case .cutOff: "is cut off"
    case .unknownEngine(let engine, let known):
      "was recorded with the engine \(engine), which this program does not have; it has "
        + known.joined(separator: " and ")
    case .impossibleStart(let problem): "cannot be started: \(problem)"
    }
  }
}
