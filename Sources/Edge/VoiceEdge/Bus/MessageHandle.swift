internal import CDBus

/// A message of libdbus.
struct MessageHandle: ~Copyable {
  private static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"

  let pointer: OpaquePointer

  /// Takes over a reference to a message. Nil if there is none.
  init?(owning pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { dbus_message_unref(pointer) }

  /// Creates a call. Returns nil if a name or a value in it is not valid, because libdbus would abort.
  init?(_ call: BusCall) {
    guard dbus_validate_bus_name(call.destination, nil) != 0,
      dbus_validate_path(call.path, nil) != 0, dbus_validate_interface(call.interface, nil) != 0,
      dbus_validate_member(call.method, nil) != 0,
      let pointer = dbus_message_new_method_call(
        call.destination, call.path, call.interface, call.method)
    else { return nil }
    dbus_message_set_auto_start(pointer, 0)
    guard Self.append(call.arguments, to: pointer) else {
      dbus_message_unref(pointer)
      return nil
    }
    self.pointer = pointer
  }

  /// Creates the answer to a call, or an error.
  init?(answering serial: UInt32, of sender: String, _ answer: Result<[BusValue], BusError>) {
    let isError: Bool
    let values: [BusValue]
    switch answer {
    case .success(let results): (isError, values) = (false, results)
    case .failure(let error): (isError, values) = (true, [.string(error.description)])
    }
    guard let pointer = dbus_message_new(isError ? 3 : 2) else { return nil }
    guard dbus_validate_bus_name(sender, nil) != 0,
      dbus_message_set_destination(pointer, sender) != 0,
      dbus_message_set_reply_serial(pointer, serial) != 0,
      !isError || dbus_message_set_error_name(pointer, Self.unknownMethod) != 0,
      Self.append(values, to: pointer)
    else {
      dbus_message_unref(pointer)
      return nil
    }
    dbus_message_set_no_reply(pointer, 1)
    self.pointer = pointer
  }

  /// The type: 1 for a call, 2 for an answer, 3 for an error, 4 for a signal.
  var type: Int32 { dbus_message_get_type(pointer) }

  var serial: UInt32 { dbus_message_get_serial(pointer) }

  var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }

  var wantsAnswer: Bool { dbus_message_get_no_reply(pointer) == 0 }

  func isSignal(_ interface: String, _ member: String) -> Bool {
    dbus_message_is_signal(pointer, interface, member) != 0
  }

  /// The message as a value.
  func message(_ kind: BusMessage.Kind) -> BusMessage {
    BusMessage(
      kind: kind, sender: Self.text(dbus_message_get_sender(pointer)),
      path: Self.text(dbus_message_get_path(pointer)),
      interface: Self.text(dbus_message_get_interface(pointer)),
      member: Self.text(dbus_message_get_member(pointer)), arguments: arguments)
  }

  /// The error in a message that is one.
  var error: BusError {
    let name = Self.text(dbus_message_get_error_name(pointer))
    let text = arguments.first?.text ?? ""
    return BusError(
      name.hasSuffix(".NoReply") ? .timedOut : .refused, text.isEmpty ? name : text)
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    pointer.map { String(cString: $0) } ?? ""
  }
}
