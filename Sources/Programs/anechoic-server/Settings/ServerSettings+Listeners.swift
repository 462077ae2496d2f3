internal import GRPCTransport
internal import Settings

extension ServerSettings {
  /// Throws if two listeners have one address. A listener whose address is the default one gives way
  /// at the start instead, with a warning.
  static func checkListeners(_ settings: LayeredValues<ServerSettings>) throws(SettingsError) {
    let values = settings.values
    var taken: [(address: String, setting: String)] = []
    let operators = [("listen.admin", values.adminListen), ("listen.http", values.httpListen)]
      .filter { $1 != off && settings.origin($0) != .defaultValue }
    for (setting, address) in values.listen.map({ ("listen.public", $0) }) + operators {
      if let other = taken.first(where: { overlap($0.address, address) }) {
        throw settings.wrong(
          setting,
          "\(address) is taken by \(other.address) of \(other.setting); give each listener an address "
            + "of its own")
      }
      taken.append((address, setting))
    }
  }

  /// Returns whether two addresses cannot both be listened on. Port 0 is a free port each time.
  private static func overlap(_ first: String, _ second: String) -> Bool {
    switch (ServerAddress(first), ServerAddress(second)) {
    case (.unix(let first), .unix(let second)): first == second
    case (.host(let first, let port), .host(let second, let otherPort)):
      port == otherPort && port != 0 && hosts(first, second)
    default: false
    }
  }

  private static func hosts(_ first: String, _ second: String) -> Bool {
    let names = [first, second].map { $0 == "localhost" ? "127.0.0.1" : $0 }
    let isSameFamily = names[0].hasPrefix("[") == names[1].hasPrefix("[")
    // The wildcard of IPv6 takes the port of IPv4 too.
    return names[0] == names[1] || names.contains("[::]")
      || isSameFamily && names.contains("0.0.0.0")
  }
}
