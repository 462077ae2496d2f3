internal import AnechoicAPI
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf

/// A file with the echo path of a device: the serialized message.
extension Anechoic_V1_EchoPath {
  /// The size of a file that is read at all.
  private static let largestFile = 1 << 20

  init(file: String) throws {
    let bytes = try ShortFile.read(file, title: file, atMost: Self.largestFile)
    guard let path = try? Anechoic_V1_EchoPath(serializedBytes: bytes), path.hasLag else {
      throw CommandFailure("\(file): this is no echo path of anechoic process --save-echo-path")
    }
    self = path
  }

  /// Replaces the file as a whole.
  func write(to file: String) throws {
    do {
      try serializedData().write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw CommandFailure("\(file): the file cannot be written")
    }
  }
}
