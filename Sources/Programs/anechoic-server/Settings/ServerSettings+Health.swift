internal import GRPCTransport

extension ServerSettings {
  /// The plaintext address at which the health of the server can be asked on this machine, or nil if
  /// there is none.
  public var healthAddress: String? {
    if adminListen != Self.off { return Self.local(adminListen) }
    return listen.first { tlsCertificate == nil || $0.hasPrefix("unix:") }.map(Self.local)
  }

  /// Returns the address to connect to, for an address to listen on. A wildcard becomes the loopback.
  private static func local(_ address: String) -> String {
    switch ServerAddress(address) {
    case .host("0.0.0.0", let port): "127.0.0.1:\(port)"
    case .host("[::]", let port): "[::1]:\(port)"
    default: address
    }
  }
}
