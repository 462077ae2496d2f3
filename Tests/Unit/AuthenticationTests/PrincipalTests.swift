import Authentication
import Testing

struct PrincipalTests {
  private func principal(_ scopes: Set<Scope>, isVerified: Bool = true) -> Principal {
    Principal(name: "olga", host: "ipv4:10.0.0.1", scopes: scopes, isVerified: isVerified)
  }

  @Test func anAdministratorHasEveryScope() {
    #expect(Scope.allCases.allSatisfy { principal([.admin]).has($0) })
  }

  @Test func anyOtherScopeIncludesOnlyItself() {
    for scope in Scope.allCases where scope != .admin {
      #expect(Scope.allCases.filter { principal([scope]).has($0) } == [scope])
    }
  }

  @Test func limitsCountByTheVerifiedNameOrByTheHost() {
    #expect(principal([.media]).account == "principal:olga")
    #expect(principal([.media], isVerified: false).account == "ipv4:10.0.0.1")
  }

  @Test func aClientThatNobodyHasVerifiedHasEveryScope() {
    let client = Principal.unverified(name: "olga", host: "unix:")
    #expect(!client.isVerified)
    #expect(client.scopes == Set(Scope.allCases))
  }
}
