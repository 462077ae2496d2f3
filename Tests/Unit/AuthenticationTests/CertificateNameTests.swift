import GRPCTransport
import Testing

@testable import Authentication

/// The names of clients in certificates, and the scopes of names.
struct CertificateNameTests {
  private func name(_ properties: KeyValuePairs<String, String>) -> String? {
    CertificateName.of(properties.map { PeerProperty(name: $0.key, value: $0.value) })
  }

  @Test func alternativeNamesComeBeforeTheCommonName() {
    #expect(name(["x509_common_name": "olga"]) == "olga")
    #expect(name(["x509_common_name": "olga", "peer_email": "o@a"]) == "o@a")
    #expect(name(["x509_common_name": "olga", "peer_email": "o@a", "peer_dns": "a"]) == "a")
    #expect(name(["peer_dns": "a", "peer_uri": "spiffe://a/b", "peer_dns": "b"]) == "spiffe://a/b")
    #expect(name(["peer_dns": "a", "peer_dns": "b"]) == "a")
  }

  @Test func namesThatAreNotPrintableAreSkipped() {
    #expect(name(["peer_dns": "a\u{1b}", "x509_common_name": "olga"]) == "olga")
    #expect(name(["x509_common_name": String(repeating: "a", count: 101)]) == nil)
    #expect(name(["x509_common_name": ""]) == nil)
    #expect(name(["transport_security_type": "ssl"]) == nil)
  }
}

struct ScopeMapTests {
  private func matches(_ pattern: String, _ name: String) -> Bool {
    ScopeMap.Rule(pattern: pattern, scopes: []).matches(name)
  }

  @Test func anAsteriskStandsForAnyText() {
    for (pattern, name) in [
      ("olga", "olga"), ("*", ""), ("*", "olga"), ("ol*", "ol"), ("ol*", "olga"), ("*ga", "olga"),
      ("o*a", "olga"), ("a*b*c", "abc"), ("a*b*c", "aXbbYc"), ("a**c", "abc"),
      ("spiffe://v/edge/*", "spiffe://v/edge/kitchen"), ("*.example", "a.b.example"),
    ] {
      #expect(matches(pattern, name), "\(pattern) \(name)")
    }
    for (pattern, name) in [
      ("olga", "olga2"), ("olga", "Olga"), ("ol*", "aol"), ("*ga", "gab"), ("a*a", "a"),
      ("a*b*c", "acb"), ("", "a"), ("*.example", "example"), ("a*bc*c", "abc"),
    ] {
      #expect(!matches(pattern, name), "\(pattern) \(name)")
    }
  }

  @Test func theFirstRuleThatMatchesApplies() throws {
    let rules = try ["root=admin", "spiffe://a/*=media,read", "*=none"].map {
      try #require(ScopeMap.Rule($0))
    }
    let map = ScopeMap(rules)
    #expect(map.scopes(of: "root") == [.admin])
    #expect(map.scopes(of: "spiffe://a/b") == [.media, .read])
    #expect(map.scopes(of: "anyone") == [])
    #expect(ScopeMap().scopes(of: "anyone") == ScopeMap.usualScopes)
    #expect(ScopeMap(otherwise: [.inject]).scopes(of: "anyone") == [.inject])
  }

  @Test func aRuleIsAPatternAndScopes() {
    #expect(ScopeMap.Rule("CN=a=media") == .init(pattern: "CN=a", scopes: [.media]))
    #expect(ScopeMap.Rule("CN=media=read") == .init(pattern: "CN=media", scopes: [.read]))
    for text in [
      "", "a", "=media", "a=", "a=media,", "a=root", "a=media read", "a=none,media",
      // Several rules, which commas do not separate.
      "a=media,b=read", "a=media,read,b=control", "a=none,*=media",
    ] {
      #expect(ScopeMap.Rule(text) == nil, "\(text)")
    }
  }
}
