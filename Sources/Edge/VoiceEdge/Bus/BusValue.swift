/// A value in a message.
indirect enum BusValue: Sendable, Equatable {
  case boolean(Bool)
  case byte(UInt8)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case double(Double)
  case string(String)
  case objectPath(String)
  /// Values of the type that a signature names.
  case array([BusValue], of: String)
  /// Named values, whose types differ (`a{sv}`).
  case dictionary([String: BusValue])
  case structure([BusValue])
  /// A value together with its type. A message that was received has the value itself instead.
  case variant(BusValue)
  /// A value of a type that nothing here needs, such as a file descriptor.
  case other

  /// An unsigned number of 32 bits. Nil for any other value.
  var number: UInt32? {
    if case .uint32(let number) = self { number } else { nil }
  }

  /// The text of a string or an object path.
  var text: String? {
    switch self {
    case .string(let text), .objectPath(let text): text
    default: nil
    }
  }

  var elements: [BusValue]? {
    if case .array(let elements, _) = self { elements } else { nil }
  }

  var named: [String: BusValue]? {
    if case .dictionary(let named) = self { named } else { nil }
  }

  /// The signature of the value's type, or nil if the value cannot be sent.
  var signature: String? {
    switch self {
    case .boolean: "b"
    case .byte: "y"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .array(_, let element): "a\(element)"
    case .dictionary: "a{sv}"
    case .variant: "v"
    case .structure, .other: nil
    }
  }
}
