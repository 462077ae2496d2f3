/// The addresses of clients, as gRPC writes them: `ipv4:127.0.0.1:40112`, `ipv6:[::1]:40112` or
/// `unix:`.
public enum PeerAddress {
  /// Returns the address without its port, which differs for each connection.
  public static func host(of peer: String) -> String {
    guard !peer.hasPrefix("unix:"), let colon = peer.lastIndex(of: ":") else { return peer }
    return String(peer[..<colon])
  }
}
