public import SwiftProtobuf

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
