internal import Foundation

/// The address of a message bus.
struct BusAddress: Sendable, Equatable {
  /// The address as libdbus reads it, such as `unix:path=/run/user/1000/bus`.
  var text: String

  init(_ text: String) { self.text = text }

  /// The bus of the user's session.
  static func session(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> BusAddress {
    if let named = environment["DBUS_SESSION_BUS_ADDRESS"], !named.isEmpty {
      return BusAddress(named)
    }
    return BusAddress("unix:path=\(environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(getuid())")/bus")
  }

  /// The bus of the machine.
  static func system(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> BusAddress {
    if let named = environment["DBUS_SYSTEM_BUS_ADDRESS"], !named.isEmpty {
      return BusAddress(named)
    }
    return BusAddress("unix:path=/run/dbus/system_bus_socket")
  }

  /// Returns the reason why a setting cannot be the address of a bus, or nil if it can. Addresses that
  /// would start a program are refused.
  static func problem(in text: String) -> String? {
    let isSocket = text.hasPrefix("unix:path=/") || text.hasPrefix("unix:abstract=")
    return isSocket && !text.contains(";")
      ? nil
      : "\"\(text)\" is not supported; use auto or an address such as unix:path=/run/user/1000/bus"
  }
}
