internal import Foundation
internal import SwiftProtobuf

/// The descriptors of proto/, for reflection.
public enum FileDescriptors {
  /// A serialized `google.protobuf.FileDescriptorProto` for each file.
  public static func serialized() -> [[UInt8]] {
    guard let data = Data(base64Encoded: fileDescriptorSet, options: .ignoreUnknownCharacters),
      let files = try? Google_Protobuf_FileDescriptorSet(serializedBytes: data)
    else { return [] }
    return files.file.compactMap { try? $0.serializedBytes() }
  }
}
