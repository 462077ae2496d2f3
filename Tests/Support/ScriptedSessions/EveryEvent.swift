public import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

/// An event of each kind in proto/anechoic/v1/events.proto, without values.
public enum EveryEvent {
  private static let proto = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../../proto/anechoic/v1/events.proto").standardizedFileURL

  /// Reads the kinds from the file. The generated code may know fewer: then an error is thrown.
  public static func read() throws -> [Anechoic_V1_SessionEvent] {
    let text = try String(contentsOf: proto, encoding: .utf8)
    let kinds = text.components(separatedBy: "oneof event {\n").dropFirst().first ?? ""
    let lines = kinds.prefix { $0 != "}" }.split(separator: "\n")
    return try lines.compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 3, words[2] == "=" else { return nil }
      return try Anechoic_V1_SessionEvent(jsonString: "{\"\(words[1])\": {}}")
    }
  }
}
