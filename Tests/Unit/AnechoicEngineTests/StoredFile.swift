import Foundation
import Testing

/// The files that scripts of `training/` write for tests.
enum StoredFile {
  static func data(_ name: String) throws -> Data {
    let file = try #require(
      Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Stored"))
    return try Data(contentsOf: file)
  }

  static func floats(_ name: String) throws -> [Float] {
    try data(name).withUnsafeBytes {
      Array($0.bindMemory(to: UInt32.self)).map { Float(bitPattern: UInt32(littleEndian: $0)) }
    }
  }
}
