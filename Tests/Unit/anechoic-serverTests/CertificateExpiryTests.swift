import CommandLineSupport
import GRPCTransport
import Testing

@testable import anechoic_server

/// The rule that decides when the log tells that a certificate expires.
struct CertificateExpiryTests {
  private static let day: Int64 = 86_400
  private let validity = CertificateValidity(first: 100 * Self.day, last: 200 * Self.day)

  @Test(
    arguments: [
      (99, CertificateExpiry.State.notYetValid), (100, .good), (186, .good),
      (187, .expiring(days: 13)),
      (200, .expiring(days: 0)), (201, .expired),
    ] as [(Int64, CertificateExpiry.State)])
  func theStateDependsOnTheTimeLeft(day: Int64, state: CertificateExpiry.State) {
    #expect(CertificateExpiry.state(of: validity, at: day * Self.day) == state)
  }

  @Test func aStateIsToldOnceADayUntilItIsGood() {
    var expiry = CertificateExpiry()
    let times: [Int64] = [0, 1, Self.day - 1, Self.day, Self.day + 1]
    #expect(times.map { expiry.isDue(.expired, at: $0) } == [true, false, false, true, false])
    let good = expiry.isDue(.good, at: Self.day + 2)
    let again = expiry.isDue(.expired, at: Self.day + 3)
    #expect(!good && again)
  }
}
