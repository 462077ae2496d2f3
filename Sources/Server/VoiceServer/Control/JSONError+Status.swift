internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

extension JSONError {
  /// The size in bytes up to which the fault of a text is looked for.
  static let longestExplained = 4 << 10

  /// Finds the fault in a text that is not the message. Returns nil if the text is not an object of JSON.
  fileprivate init?<Content: Message>(in text: [UInt8], of _: Content.Type) {
    guard let object = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] else {
      return nil
    }
    do throws(JSONError) {
      _ = try Content(jsonObject: object)
      return nil
    } catch {
      self = error
    }
  }
}

extension Status {
  /// The refusal of a text that is not the message. Names the field that is wrong, if the text is short
  /// enough to look for it.
  static func notA<Content: Message>(_ type: Content.Type, json text: [UInt8]) -> Status {
    guard text.count <= JSONError.longestExplained, let fault = JSONError(in: text, of: type) else {
      return .notA(type.protoMessageName)
    }
    let field = fault.path.isEmpty ? "request" : fault.path.joined(separator: ".")
    return Status(InvalidFieldError(field, fault.problem))
  }
}
