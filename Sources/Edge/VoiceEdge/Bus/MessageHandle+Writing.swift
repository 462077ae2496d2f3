internal import CDBus

extension MessageHandle {
  /// Appends values to a message. Returns false if one of them cannot be sent.
  static func append(_ values: [BusValue], to message: OpaquePointer) -> Bool {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    return values.allSatisfy { append($0, to: &iterator) }
  }

  private static func append(_ value: BusValue, to iterator: inout DBusMessageIter) -> Bool {
    switch value {
    case .boolean(let value): append("b", UInt32(value ? 1 : 0), to: &iterator)
    case .byte(let value): append("y", value, to: &iterator)
    case .int32(let value): append("i", value, to: &iterator)
    case .uint32(let value): append("u", value, to: &iterator)
    case .int64(let value): append("x", value, to: &iterator)
    case .double(let value): append("d", value, to: &iterator)
    case .string(let text): append("s", text: text, to: &iterator)
    case .objectPath(let path):
      dbus_validate_path(path, nil) != 0 && append("o", text: path, to: &iterator)
    case .array(let elements, let signature):
      dbus_signature_validate_single(signature, nil) != 0
        && inside("a", signature, &iterator) { part in
          elements.allSatisfy { $0.signature == signature && append($0, to: &part) }
        }
    case .dictionary(let named):
      inside("a", "{sv}", &iterator) { part in
        named.sorted { $0.key < $1.key }.allSatisfy { key, value in
          inside("e", nil, &part) { entry in
            append("s", text: key, to: &entry) && append(.variant(value), to: &entry)
          }
        }
      }
    case .variant(let value):
      if let signature = value.signature {
        inside("v", signature, &iterator) { append(value, to: &$0) }
      } else {
        false
      }
    case .structure, .other: false
    }
  }

  private static func append<Value: BitwiseCopyable>(
    _ type: Unicode.Scalar, _ value: Value, to iterator: inout DBusMessageIter
  ) -> Bool {
    var value = value
    return dbus_message_iter_append_basic(&iterator, Int32(type.value), &value) != 0
  }

  /// Appends a text up to its first NUL.
  private static func append(
    _ type: Unicode.Scalar, text: String, to iterator: inout DBusMessageIter
  ) -> Bool {
    text.withCString { (text: UnsafePointer<CChar>) in
      var text: UnsafePointer<CChar>? = text
      return dbus_message_iter_append_basic(&iterator, Int32(type.value), &text) != 0
    }
  }

  /// Appends a container, whose content `body` appends.
  private static func inside(
    _ type: Unicode.Scalar, _ signature: String?, _ iterator: inout DBusMessageIter,
    _ body: (inout DBusMessageIter) -> Bool
  ) -> Bool {
    var part = DBusMessageIter()
    guard
      dbus_message_iter_open_container(&iterator, Int32(type.value), signature, &part) != 0
    else { return false }
    guard body(&part) else {
      dbus_message_iter_abandon_container(&iterator, &part)
      return false
    }
    return dbus_message_iter_close_container(&iterator, &part) != 0
  }
}
