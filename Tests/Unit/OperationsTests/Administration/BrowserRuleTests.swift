import Operations
import Testing

/// Which requests of browsers may do something.
struct BrowserRuleTests {
  @Test(arguments: ["127.0.0.1:1", "localhost", "LOCALHOST:5", "[::1]:1", "127.9.9.9"])
  func thisMachineIsAlwaysAllowed(host: String) {
    for hosts in [BrowserRule.Hosts.thisMachine, .local, .any] {
      #expect(BrowserRule(hosts).allows(HTTPRequest(headers: ["host": host])))
    }
  }

  @Test(arguments: ["10.1.2.3:50053", "[fe80::1]:1", "voice:50053"])
  func addressesAndShortNamesAreLocal(host: String) {
    #expect(!BrowserRule(.thisMachine).allows(HTTPRequest(headers: ["host": host])))
    #expect(BrowserRule(.local).allows(HTTPRequest(headers: ["host": host])))
  }

  @Test(arguments: [
    "evil.example", "127.0.0.1.evil.example:1", "10.1.2.3.evil.example", "", "1.2.3",
  ])
  func namesThatStrangersCanOwnAreRefused(host: String) {
    #expect(!BrowserRule(.thisMachine).allows(HTTPRequest(headers: ["host": host])))
    #expect(!BrowserRule(.local).allows(HTTPRequest(headers: ["host": host])))
    #expect(BrowserRule(.any).allows(HTTPRequest(headers: ["host": host])))
  }

  @Test(arguments: [
    ["origin": "http://evil.example"], ["origin": "null"], ["origin": "http://localhost:2"],
    ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
  ])
  func otherPagesAreRefused(headers: [String: String]) {
    let headers = headers.merging(["host": "localhost:1"]) { $1 }
    #expect(!BrowserRule(.any).allows(HTTPRequest(headers: headers)))
  }

  @Test(arguments: [false, true])
  func aProxyMayAddTLSAndNotRemoveIt(isEncrypted: Bool) {
    for scheme in ["http", "https"] {
      var request = HTTPRequest(
        headers: ["host": "voice.example", "origin": "\(scheme)://voice.example"])
      request.isEncrypted = isEncrypted
      #expect(BrowserRule(.any).allows(request) == (scheme == "https" || !isEncrypted))
    }
  }
}

extension HTTPRequest {
  /// A request of which only the headers count.
  init(headers: [String: String]) { self.init(method: "GET", path: "/", headers: headers) }
}
