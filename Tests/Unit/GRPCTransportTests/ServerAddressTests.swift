import GRPCTransport
import Testing

struct ServerAddressTests {
  @Test(arguments: [
    ("127.0.0.1:0", ServerAddress.host("127.0.0.1", port: 0)),
    ("voice.example:65535", .host("voice.example", port: 65535)),
    ("[::1]:50051", .host("[::1]", port: 50051)),
    ("unix:/run/a.sock", .unix(path: "/run/a.sock")),
    ("unix:a:0", .unix(path: "a:0")),
    (
      "unix:" + String(repeating: "a", count: 107), .unix(path: String(repeating: "a", count: 107))
    ),
  ])
  func anAddressIsUnderstood(text: String, address: ServerAddress) {
    #expect(ServerAddress(text) == address)
  }

  @Test(arguments: [
    "", ":", "a", "a:", ":1", "a:b", "a:65536", "a:99999", "a:-1", "a:+1", "a:1 ", " a:1", "a b:1",
    "::1", "::1:1", "[]:1", "[::1]", "[::1:1", "a]:1", "ftp:a:1", "tür:1", "a\0:1", "unix:",
    "unix:a\0b", "unix:" + String(repeating: "a", count: 108),
    "unix:" + String(repeating: "ü", count: 54),
  ])
  func anInvalidAddressIsRefused(text: String) {
    #expect(ServerAddress(text) == nil)
  }
}
