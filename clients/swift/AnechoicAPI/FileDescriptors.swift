internal import Foundation
public import SwiftProtobuf

/// The descriptors of proto/, for reflection.
public enum FileDescriptors {
  /// Returns the files of proto/ and those that they import, each after its imports.
  public static func all() -> [Google_Protobuf_FileDescriptorProto] {
    guard let data = Data(base64Encoded: fileDescriptorSet, options: .ignoreUnknownCharacters),
      let files = try? Google_Protobuf_FileDescriptorSet(serializedBytes: data)
    else { return [] }
    return files.file
  }
}
