internal import Foundation
public import SwiftProtobuf

/// A field of a message in JSON that cannot be decoded.
public struct JSONError: Error, Equatable, CustomStringConvertible {
  /// The names from the message to the field, as the JSON has them. Empty if the fault is in the
  /// message as a whole.
  public let path: [String]
  /// The fault of the field, and the values that are allowed.
  public let problem: String

  public var description: String {
    path.isEmpty ? problem : "\(path.joined(separator: ".")): \(problem)"
  }
}

extension Message {
  /// Decodes a message from a JSON object, as JSONSerialization represents it.
  public init(jsonObject: [String: Any]) throws(JSONError) {
    do {
      try self.init(decoding: jsonObject)
    } catch {
      throw Self.fault(in: jsonObject, under: [], error)
    }
  }

  private init(decoding object: [String: Any]) throws {
    try self.init(jsonUTF8Data: JSONSerialization.data(withJSONObject: object))
  }

  /// Finds the first field that cannot be decoded when everything else is left out.
  private static func fault(
    in object: [String: Any], under path: [String], _ error: any Error
  ) -> JSONError {
    for (key, value) in object.sorted(by: { $0.key < $1.key }) {
      let place = path + [key]
      guard let error = decodingError(of: value, at: place) else { continue }
      if let members = value as? [String: Any], decodingError(of: [String: Any](), at: place) == nil
      {
        return fault(in: members, under: place, error)
      }
      return JSONError(path: place, problem: problem(of: value, at: place, error))
    }
    return JSONError(path: path, problem: (error as? JSONDecodingError)?.problem ?? "\(error)")
  }

  /// Returns the error of a message that has nothing but one value.
  private static func decodingError(of value: Any, at path: [String]) -> (any Error)? {
    let object = path.reversed().reduce(value) { [$1: $0] }
    guard let object = object as? [String: Any] else { return nil }
    do {
      _ = try Self(decoding: object)
      return nil
    } catch {
      return error
    }
  }

  private static func problem(of value: Any, at path: [String], _ error: any Error) -> String {
    guard let error = error as? JSONDecodingError else { return "\(error)" }
    if case .unknownField = error { return "there is no such field" }
    // Fields of texts accept any, and those of bytes some texts that no enum has.
    guard decodingError(of: "?", at: path) != nil else { return error.problem }
    guard decodingError(of: "AA==", at: path) != nil else { return "the value must be in base64" }
    let names = EnumNames.all.filter { decodingError(of: $0, at: path) == nil }
    guard !names.isEmpty else { return error.problem }
    let text = (value as? String).map { "\"\($0)\"" } ?? "this value"
    return "\(text) is not one of \(names.joined(separator: ", "))"
  }
}

/// The enums in messages that people write as JSON, and the names of their cases.
private enum EnumNames {
  /// The names of all cases, without UNSPECIFIED.
  static let all: [String] =
    names(Anechoic_V1_MicMode.self) + names(Anechoic_V1_VoiceProcessing.Level.self)
    + names(Anechoic_V1_OtherAudioDucking.Level.self) + names(Anechoic_V1_MuteGesturePolicy.self)
    + names(Anechoic_V1_InjectionMode.self) + names(Anechoic_V1_AudioPort.TypeEnum.self)
    + names(Anechoic_V1_RouteChanged.Reason.self) + names(Anechoic_V1_Interruption.Reason.self)

  /// `voiceIsolation` of `Anechoic_V1_MicMode` is `MIC_MODE_VOICE_ISOLATION`.
  private static func names<Value: Enum & CaseIterable>(_ type: Value.Type) -> [String] {
    let words = "\(type)".replacing("Anechoic_V1_", with: "").replacing("Enum", with: "")
    return type.allCases.filter { $0.rawValue != 0 }.map { value in
      "\(words.snakeCase)_\("\(value)".snakeCase)".uppercased()
    }
  }
}

extension StringProtocol {
  /// A name in the way of the proto: `preferredMicMode` is `preferred_mic_mode`.
  package var snakeCase: String {
    reduce(into: "") { result, character in
      if character.isUppercase, !result.isEmpty { result.append("_") }
      result.append(contentsOf: character.lowercased())
    }
  }
}

extension Message {
  /// Returns this message as one line of JSON. 64-bit integers are numbers, not strings.
  public func jsonLine() throws -> String {
    var options = JSONEncodingOptions()
    options.alwaysPrintInt64sAsNumbers = true
    return try jsonString(options: options)
  }
}

extension JSONDecodingError {
  /// The error in a few words.
  var problem: String {
    switch self {
    case .unknownField(let name): "there is no field \"\(name)\""
    case .unrecognizedEnumValue: "the name is not one of its enum"
    case .conflictingOneOf: "two fields are set of which only one may be set"
    case .numberRange: "the number is out of range, or not an integer"
    case .malformedNumber: "the value must be a number"
    case .malformedBool: "the value must be true or false"
    case .malformedDuration: "the duration must have the form \"1.5s\""
    case .malformedFieldMask: "the field mask must have the form \"oneField,another.field\""
    default: "the value has the wrong type"
    }
  }
}
