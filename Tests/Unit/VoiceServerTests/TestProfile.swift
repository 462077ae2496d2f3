import Foundation
import SpatialAudio
import VoiceServer

/// Profiles of listeners.
enum TestProfile {
  /// The generic file.
  static let file: [UInt8] = {
    let url = URL(fileURLWithPath: HeadRelatedSet.genericPath)
    return (try? Data(contentsOf: url)).map { Array($0) } ?? []
  }()

  /// The responses of the generic file.
  static var generic: MeasuredResponses { get throws { try read.get() } }
  private static let read = Result {
    try file.withUnsafeBytes { try MeasuredResponses(sofa: $0) }
  }

  /// The generic responses with the ears changed over.
  static var turned: MeasuredResponses {
    get throws {
      let responses = try generic
      var bytes = responses.encoded() ?? []
      let size = 4 * responses.length
      let first = 24 + 20 * responses.directionCount
      for left in stride(from: first, to: bytes.count, by: 2 * size) {
        let (one, other) = (Array(bytes[left..<left + size]), left + size..<left + 2 * size)
        bytes.replaceSubrange(left..<left + size, with: bytes[other])
        bytes.replaceSubrange(other, with: one)
      }
      return try MeasuredResponses(encoded: bytes)
    }
  }
}

extension ProfileStore {
  /// Returns a store whose files are read by the server program.
  static func reading(directory: String? = nil) throws -> ProfileStore {
    try ProfileStore(
      reader: ReaderProgram(path: ServerProgram.executable.path), directory: directory)
  }
}
