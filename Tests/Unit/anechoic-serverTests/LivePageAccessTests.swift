import Operations
import Testing

@testable import anechoic_server

/// Who may use the live page.
struct LivePageAccessTests {
  private func access(
    _ change: (inout ServerSettings) -> Void = { _ in }
  ) -> ServerSettings.PageAccess {
    var settings = ServerSettings()
    change(&settings)
    return settings.livePageAccess
  }

  private func isOff(_ access: ServerSettings.PageAccess, _ word: String) -> Bool {
    if case .nobody(let reason) = access { reason.contains(word) } else { false }
  }

  @Test func byDefaultAllProgramsOfThisMachineMayUseIt() {
    #expect(access() == .everyone)
  }

  @Test func withoutAuthenticationItOpensNothing() {
    #expect(isOff(access { $0.httpListen = "0.0.0.0:50053" }, "other machines"))
    #expect(isOff(access { $0.listen = ["unix:/run/a.sock"] }, "unix sockets"))
    #expect(isOff(access { $0.tlsClientAuthorities = "ca.pem" }, "certificate"))
    #expect(
      isOff(
        access {
          $0.authentication.mode = AuthenticationSettings.Mode.none
          $0.listen = ["0.0.0.0:50051"]
          $0.httpListen = "[::]:50053"
        }, "other machines"))
  }

  @Test func anOperatorMayOpenOrCloseIt() {
    #expect(
      access {
        $0.httpListen = "0.0.0.0:50053"
        $0.livePage = .on
      } == .everyone)
    #expect(isOff(access { $0.livePage = .off }, "--live-page"))
  }

  /// A certificate is for the names in it, so that the name of a stranger cannot lead here.
  @Test(arguments: [false, true])
  func withTLSEveryNameMayBeUsed(isEncrypted: Bool) {
    var request = HTTPRequest(
      method: "POST", path: "/",
      headers: ["host": "voice.example", "origin": "https://voice.example"])
    request.isEncrypted = isEncrypted
    for isLoopback in [false, true] {
      let rule = access().rule(isLoopback: isLoopback, isEncrypted: isEncrypted)
      #expect(rule.allows(request) == isEncrypted)
    }
  }

  @Test(arguments: [AuthenticationSettings.Mode.jwt, .certificate])
  func credentialsDecideEverywhere(mode: AuthenticationSettings.Mode) {
    #expect(
      access {
        $0.authentication.mode = mode
        $0.httpListen = "0.0.0.0:50053"
        $0.listen = ["unix:/run/a.sock"]
      } == .authenticated)
    #expect(
      isOff(
        access {
          $0.authentication.mode = mode
          $0.livePage = .off
        }, "--live-page"))
  }
}
