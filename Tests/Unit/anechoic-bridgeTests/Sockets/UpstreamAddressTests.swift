import Operations
import Testing

@testable import anechoic_bridge

/// The addresses of upstreams.
struct UpstreamAddressTests {
  @Test func anAddressHasAHostAndAPort() throws {
    let plain = try #require(UpstreamAddress("ws://example.com"))
    #expect(plain.host == "example.com" && plain.port == 80 && !plain.isEncrypted)
    let encrypted = try #require(UpstreamAddress("WSS://[::1]:8443/a?b=c"))
    #expect(encrypted.host == "::1" && encrypted.port == 8443 && encrypted.isEncrypted)
    #expect(encrypted.hostHeader == "[::1]:8443")
    #expect(UpstreamAddress("wss://example.com")?.port == 443)
  }

  @Test(arguments: [
    "", "example.com", "http://example.com", "ws://", "ws:///path", "ws://a:0", "ws://a:70000",
    "ws://a:b", "ws://user@host", "ws://a b", "ws://[::1", "ws://[::1]x", "ws://a#b", "ws://é",
  ])
  func otherTextsAreNone(text: String) {
    #expect(UpstreamAddress(text) == nil)
  }

  @Test func theClientChoosesThePathUnlessTheAddressHasOne() {
    let request = HTTPRequest(method: "GET", path: "/v1/realtime", query: "model=x")
    let targets = ["ws://a", "ws://a/", "ws://a/own", "ws://a/own?k=v", "ws://a?k=v"].map {
      UpstreamAddress($0)?.target(for: request)
    }
    #expect(
      targets == [
        "/v1/realtime?model=x", "/v1/realtime?model=x", "/own?model=x", "/own?k=v&model=x",
        "/v1/realtime?k=v&model=x",
      ])
    let bare = HTTPRequest(method: "GET", path: "/m")
    #expect(UpstreamAddress("ws://a")?.target(for: bare) == "/m")
  }

  @Test func headersOfAConnectionDoNotPass() {
    let headers = [
      "authorization": "t", "host": "h", "sec-websocket-key": "k", "upgrade": "websocket",
      "openai-beta": "realtime=v1", "content-length": "0",
    ]
    #expect(
      UpstreamDialer.passing(headers) == ["authorization": "t", "openai-beta": "realtime=v1"])
  }
}
