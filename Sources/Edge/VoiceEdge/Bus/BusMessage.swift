/// A signal, or a call that another program makes.
struct BusMessage: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case signal
    /// A call. `serial` identifies it in its answer.
    case call(serial: UInt32)
  }

  var kind: Kind
  /// The unique name of the sender.
  var sender: String
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue]
}

/// A method and its arguments.
struct BusCall: Sendable, Equatable {
  var destination: String
  var path: String
  var interface: String
  var method: String
  var arguments: [BusValue]

  init(
    _ destination: String, _ path: String, _ interface: String, _ method: String,
    _ arguments: [BusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.method = method
    self.arguments = arguments
  }

  /// A call to the bus itself.
  static func bus(_ method: String, _ arguments: [BusValue] = []) -> BusCall {
    BusCall(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
  }

  /// A call that asks for a property of an object.
  static func property(
    _ name: String, of interface: String, _ destination: String, _ path: String
  ) -> BusCall {
    BusCall(
      destination, path, "org.freedesktop.DBus.Properties", "Get",
      [.string(interface), .string(name)])
  }
}
