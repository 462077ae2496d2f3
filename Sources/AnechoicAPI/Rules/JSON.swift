public import SwiftProtobuf

extension Message {
  /// This message as one line of JSON, with 64-bit integers as numbers, which they are to every
  /// program.
  public func jsonLine() throws -> String {
    var options = JSONEncodingOptions()
    options.alwaysPrintInt64sAsNumbers = true
    return try jsonString(options: options)
  }
}

extension JSONDecodingError {
  /// What is wrong with a message in JSON, in a few words.
  public var problem: String {
    switch self {
    case .unknownField(let name): "there is no field \"\(name)\""
    case .unrecognizedEnumValue: "a name is not one of those that its field can have"
    case .conflictingOneOf: "more than one field of which there can be one"
    case .numberRange: "a number is out of range, or not whole"
    case .malformedBool: "something is neither true nor false"
    case .malformedDuration: "a duration is not of the form \"1.5s\""
    case .malformedFieldMask: "a field mask is not of the form \"oneField,another.field\""
    default: "a value is not of its field's kind"
    }
  }
}
