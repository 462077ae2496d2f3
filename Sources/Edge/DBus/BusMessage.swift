/// A signal, or a call that another program makes.
public struct BusMessage: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case signal
    /// A call. `serial` identifies it in its answer.
    case call(serial: UInt32)
  }

  public var kind: Kind
  /// The unique name of the sender.
  public var sender: String
  public var path: String
  public var interface: String
  public var member: String
  public var arguments: [BusValue]
}

/// A method and its arguments.
public struct BusCall: Sendable, Equatable {
  public var destination: String
  public var path: String
  public var interface: String
  public var method: String
  public var arguments: [BusValue]

  public init(
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
  public static func bus(_ method: String, _ arguments: [BusValue] = []) -> BusCall {
    BusCall(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
  }

  /// A call that asks for a property of an object.
  public static func property(
    _ name: String, of interface: String, _ destination: String, _ path: String
  ) -> BusCall {
    BusCall(
      destination, path, "org.freedesktop.DBus.Properties", "Get",
      [.string(interface), .string(name)])
  }
}
