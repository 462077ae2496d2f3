public import AnechoicAPI
internal import Foundation
internal import LinuxSystem
internal import SwiftProtobuf

/// The file with the voice that VOICE_ISOLATION keeps: a serialized voiceprint.
public actor VoiceprintFile {
  private static let longest = 4096
  private static let longestEncoder = 63
  private static let longestValues = 2048

  private let path: String
  /// The last change of the voice that the file knows of.
  private var lastChange = 0

  init(_ path: String) { self.path = path }

  /// Returns the voice of a file, or nil if there is no file.
  public static func read(_ path: String) throws(EdgeError) -> Anechoic_V1_Voiceprint? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes: [UInt8]
    do { bytes = try RegularFile.read(path, atMost: longest) } catch {
      throw EdgeError("\(path): \(error)")
    }
    guard let voiceprint = try? Anechoic_V1_Voiceprint(serializedBytes: bytes),
      (1...longestEncoder).contains(voiceprint.encoder.utf8.count), !voiceprint.values.isEmpty
    else {
      throw EdgeError("\(path): the file is no voiceprint; let the agent learn the voice again")
    }
    return voiceprint
  }

  private static func isPossible(_ voiceprint: Anechoic_V1_Voiceprint) -> Bool {
    (1...longestEncoder).contains(voiceprint.encoder.utf8.count)
      && (1...longestValues).contains(voiceprint.values.count)
  }

  /// Replaces the file, or deletes it for nil. A change before the last one has no effect. Returns the
  /// reason if that is not possible.
  func keep(_ voiceprint: Anechoic_V1_Voiceprint?, change: Int) -> String? {
    guard change > lastChange else { return nil }
    lastChange = change
    guard let voiceprint else {
      guard unlink(path) != 0, errno != ENOENT else { return nil }
      return "\(path) cannot be deleted: \(String(cString: strerror(errno)).lowercased())"
    }
    guard Self.isPossible(voiceprint) else {
      return "\(path) is not written: the server's voiceprint is not valid"
    }
    do {
      try PrivateFile.replace(path, with: Array(try voiceprint.serializedData()))
      return nil
    } catch {
      return "\(path) cannot be written: \(error)"
    }
  }
}
