internal import Foundation
internal import SwiftProtobuf

/// An index of file descriptors, by the name of a file and by the symbols in it.
struct ReflectedFiles: Sendable {
  private struct File {
    let serialized: Data
    let imports: [String]
  }

  private var files: [String: File] = [:]
  /// The names of the files that declare each type, service and method, by the full name.
  private var homes: [String: String] = [:]
  private var messages: Set<String> = []

  init(_ descriptors: [Google_Protobuf_FileDescriptorProto]) {
    for descriptor in descriptors {
      guard let serialized: Data = try? descriptor.serializedBytes() else { continue }
      files[descriptor.name] = File(serialized: serialized, imports: descriptor.dependency)
      add(descriptor)
    }
  }

  /// Returns the file with a name, followed by all files that it imports, or nil if there is none.
  func file(named name: String) -> [Data]? {
    guard files[name] != nil else { return nil }
    var found = [name]
    var next = 0
    while next < found.count {
      for other in files[found[next]]?.imports ?? [] where !found.contains(other) {
        found.append(other)
      }
      next += 1
    }
    return found.compactMap { files[$0]?.serialized }
  }

  /// Returns the file that declares a type, a service or a method, followed by all files that it
  /// imports, or nil if there is none.
  func file(containing symbol: String) -> [Data]? {
    homes[symbol].flatMap { file(named: $0) }
  }

  func hasMessage(named name: String) -> Bool { messages.contains(name) }

  private mutating func add(_ file: Google_Protobuf_FileDescriptorProto) {
    let prefix = file.package.isEmpty ? "" : file.package + "."
    for message in file.messageType { add(message, in: prefix, of: file.name) }
    for type in file.enumType { homes[prefix + type.name] = file.name }
    for service in file.service {
      homes[prefix + service.name] = file.name
      for method in service.method {
        homes["\(prefix)\(service.name).\(method.name)"] = file.name
      }
    }
  }

  private mutating func add(
    _ message: Google_Protobuf_DescriptorProto, in prefix: String, of file: String
  ) {
    let name = prefix + message.name
    homes[name] = file
    messages.insert(name)
    for nested in message.nestedType { add(nested, in: name + ".", of: file) }
    for type in message.enumType { homes["\(name).\(type.name)"] = file }
  }
}
