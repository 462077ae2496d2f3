internal import Foundation
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
    case (.unix(let first), .unix(let second)):
      place(first) == place(second)
    case (.host(let first, let port), .host(let second, let otherPort)):
      port == otherPort && port != 0 && hosts(first, second)
    default: false
    }
  }

  private static func hosts(_ first: String, _ second: String) -> Bool {
    let names = [first, second].map(canonical)
    // This name is usually that of both families.
    let hasLocalName = [first, second].contains { $0.lowercased() == "localhost" }
    if hasLocalName, names.contains("[::1]") { return true }
    let isSameFamily = names[0].hasPrefix("[") == names[1].hasPrefix("[")
    // The wildcard of IPv6 takes the port of IPv4 too.
    return names[0] == names[1] || names.contains("[::]")
      || isSameFamily && names.contains("0.0.0.0")
  }

  /// Returns the place of a socket, without links and detours in the path of its folder.
  private static func place(_ path: String) -> String {
    let path = path.hasPrefix("//") ? String(path.dropFirst(2)) : path
    let url = URL(fileURLWithPath: path).standardized
    let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
    return folder.appendingPathComponent(url.lastPathComponent).path
  }

  /// Returns the one spelling of a host: `[0:0::1]` is `[::1]`, `[::ffff:127.0.0.1]` and 127.1 are
  /// 127.0.0.1.
  private static func canonical(_ host: String) -> String {
    if host.lowercased() == "localhost" { return "127.0.0.1" }
    var short = in_addr()
    if inet_aton(host, &short) == 1 {
      let bytes = withUnsafeBytes(of: short.s_addr) { Array($0) }
      return bytes.map { "\($0)" }.joined(separator: ".")
    }
    var address = in6_addr()
    let digits = String(host.dropFirst().dropLast())
    guard host.hasPrefix("["), inet_pton(AF_INET6, digits, &address) == 1 else {
      return host.lowercased()
    }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let mapped = "::ffff:"
    return name.hasPrefix(mapped) && name.contains(".")
      ? String(name.dropFirst(mapped.count)) : "[\(name)]"
  }
}
