/// A limit on the lines that each principal can cause: a burst at once, and then a number in each
/// second.
///
/// The table has a fixed size. If it is full, a new principal takes the place of the one that was
/// quiet for the longest time.
public struct LogBudget: Sendable {
  public static let burst = 50.0
  public static let perSecond = 10.0
  static let mostPrincipals = 256

  /// The answer for a line.
  public enum Verdict: Sendable, Equatable {
    /// The line may be written. `suppressed` lines of the principal were not, since the last one.
    case write(suppressed: Int)
    case suppress
  }

  private struct Account {
    var left = LogBudget.burst
    var last: ContinuousClock.Instant
    var suppressed = 0
  }

  private var accounts: [String: Account] = [:]

  public init() {}

  /// The number of principals in the table.
  public var count: Int { accounts.count }

  /// Counts a line of a principal.
  public mutating func take(for principal: String, now: ContinuousClock.Instant) -> Verdict {
    var account = accounts[principal] ?? Account(last: now)
    if accounts[principal] == nil, accounts.count >= Self.mostPrincipals,
      let quiet = accounts.min(by: { $0.value.last < $1.value.last })?.key
    {
      accounts[quiet] = nil
    }
    let seconds = (now - account.last) / .seconds(1)
    account.left = min(Self.burst, account.left + max(0, seconds) * Self.perSecond)
    account.last = now
    defer { accounts[principal] = account }
    guard account.left >= 1 else {
      account.suppressed += 1
      return .suppress
    }
    account.left -= 1
    defer { account.suppressed = 0 }
    return .write(suppressed: account.suppressed)
  }
}
