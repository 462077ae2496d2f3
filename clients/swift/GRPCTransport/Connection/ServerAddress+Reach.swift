internal import Glibc

extension ServerAddress {
  /// Whether only programs of this machine can use the address: a unix socket, `localhost`, or an
  /// address of the loopback interface.
  public var isLocal: Bool {
    guard case .host(let host, _) = self else { return true }
    if host.lowercased() == "localhost" { return true }
    var v4 = in_addr()
    if inet_pton(AF_INET, host, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
    guard host.hasPrefix("["), host.hasSuffix("]") else { return false }
    var v6 = in6_addr()
    guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &v6) == 1 else { return false }
    return withUnsafeBytes(of: v6) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
