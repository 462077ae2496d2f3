internal import AnechoicAPI
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf

/// A message that a session has learnt, kept in a file for later sessions: the serialized message.
protocol LearntMessage: SwiftProtobuf.Message {
  /// The words for the message and for the option that writes the file.
  static var words: (name: String, option: String) { get }
  /// Whether only the owner of the file may read it.
  static var isPersonal: Bool { get }
  /// Why a session may have told none.
  static var needs: String { get }
  /// Whether the fields are set that every such message has.
  var isComplete: Bool { get }
}

extension LearntMessage {
  /// The size of a file that is read at all.
  private static var largestFile: Int { 1 << 20 }

  init(file: String) throws {
    let bytes = try ShortFile.read(file, title: file, atMost: Self.largestFile)
    guard let message = try? Self(serializedBytes: bytes), message.isComplete else {
      let (name, option) = Self.words
      throw CommandError("\(file): this is no \(name) of anechoic process \(option)")
    }
    self = message
  }
}

extension Anechoic_V1_EchoPath: LearntMessage {
  static let words = (name: "echo path", option: "--save-echo-path")
  static let isPersonal = false
  static let needs = "a reference, an echo that it has learnt to cancel, and the engine anechoic"
  var isComplete: Bool { hasLag }
}

extension Anechoic_V1_Voiceprint: LearntMessage {
  static let words = (name: "voiceprint", option: "--save-voiceprint")
  static let isPersonal = true
  static let needs = "3 s of one voice while nothing plays"
  var isComplete: Bool { !encoder.isEmpty }
}

/// The file for a message that a session may tell.
struct LearntFile<Message: LearntMessage> {
  let path: String
  private(set) var isWritten = false

  init(_ path: String) { self.path = path }

  /// Replaces the file as a whole.
  mutating func write(_ message: Message) throws {
    let file = try AtomicFile(path, isPrivate: Message.isPersonal)
    try file.write(try message.serializedData())
    try file.complete()
    isWritten = true
  }

  /// The words for a file that was not written, because the session told no such message.
  var problem: String? {
    guard !isWritten else { return nil }
    let (name, option) = Message.words
    return "\(option): the session told no \(name), so \(path) was not written; it needs "
      + Message.needs
  }
}
