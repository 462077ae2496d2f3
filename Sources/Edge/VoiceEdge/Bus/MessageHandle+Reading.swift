internal import CDBus

extension MessageHandle {
  /// The values of the message. libdbus has checked that the message is valid and at most 64 deep.
  var arguments: [BusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(pointer, &iterator) != 0 else { return [] }
    return Self.values(&iterator)
  }

  private static func values(_ iterator: inout DBusMessageIter) -> [BusValue] {
    var values: [BusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != 0 {
      values.append(value(&iterator))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private static func value(_ iterator: inout DBusMessageIter) -> BusValue {
    func number<Number: FixedWidthInteger>(_ zero: Number) -> Number {
      var number = zero
      dbus_message_iter_get_basic(&iterator, &number)
      return number
    }
    func text() -> String {
      var text: UnsafePointer<CChar>?
      dbus_message_iter_get_basic(&iterator, &text)
      return text.map { String(cString: $0) } ?? ""
    }
    func inner() -> [BusValue] {
      var part = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &part)
      return values(&part)
    }
    switch UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&iterator)) {
    case UInt8(ascii: "b"): return .boolean(number(UInt32(0)) != 0)
    case UInt8(ascii: "y"): return .byte(number(UInt8(0)))
    case UInt8(ascii: "n"): return .int32(Int32(number(Int16(0))))
    case UInt8(ascii: "q"): return .uint32(UInt32(number(UInt16(0))))
    case UInt8(ascii: "i"): return .int32(number(Int32(0)))
    case UInt8(ascii: "u"): return .uint32(number(UInt32(0)))
    case UInt8(ascii: "x"): return .int64(number(Int64(0)))
    case UInt8(ascii: "t"): return .int64(Int64(clamping: number(UInt64(0))))
    case UInt8(ascii: "d"): return .double(Double(bitPattern: number(UInt64(0))))
    case UInt8(ascii: "s"), UInt8(ascii: "g"): return .string(text())
    case UInt8(ascii: "o"): return .objectPath(text())
    case UInt8(ascii: "v"): return inner().first ?? .other
    case UInt8(ascii: "r"), UInt8(ascii: "e"): return .structure(inner())
    case UInt8(ascii: "a"): return array(&iterator)
    default: return .other
    }
  }

  /// Returns an array, or a dictionary whose keys are texts.
  private static func array(_ iterator: inout DBusMessageIter) -> BusValue {
    let isDictionary = dbus_message_iter_get_element_type(&iterator) == Int32(UInt8(ascii: "e"))
    var part = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &part)
    let signature = dbus_message_iter_get_signature(&part)
    defer { dbus_free(signature) }
    let elements = values(&part)
    guard isDictionary else {
      return .array(elements, of: signature.map { String(cString: $0) } ?? "")
    }
    var named: [String: BusValue] = [:]
    for case .structure(let pair) in elements where pair.count == 2 {
      if let key = pair[0].text { named[key] = pair[1] }
    }
    return .dictionary(named)
  }
}
