import GRPCTransport
import Testing

struct PeerAddressTests {
  @Test(arguments: [
    ("ipv4:127.0.0.1:40112", "ipv4:127.0.0.1"), ("ipv6:[::1]:40112", "ipv6:[::1]"),
    ("unix:", "unix:"), ("unix:/run/a.sock", "unix:/run/a.sock"), ("", ""),
  ])
  func theHostIsTheAddressWithoutItsPort(peer: String, host: String) {
    #expect(PeerAddress.host(of: peer) == host)
  }
}
