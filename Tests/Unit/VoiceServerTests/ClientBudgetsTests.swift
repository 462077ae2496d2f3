import Authentication
import Testing

@testable import VoiceServer

/// The shares of the clients that change one session, on a virtual clock.
struct ClientBudgetsTests {
  private static let start = ContinuousClock.now

  /// Lets clients make changes at given times. Returns the number of accepted changes.
  private func made(
    _ rates: [Principal: Int], seconds: Int, budgets: inout ClientBudgets
  ) -> [Principal: Int] {
    var tries: [(time: Double, client: Principal)] = []
    for (client, rate) in rates {
      for index in 0..<(rate * seconds) { tries.append((Double(index) / Double(rate), client)) }
    }
    tries.sort { ($0.time, $0.client.name) < ($1.time, $1.client.name) }
    var made: [Principal: Int] = [:]
    for (time, client) in tries
    where budgets.take(for: client, now: Self.start + .seconds(time)) {
      made[client, default: 0] += 1
    }
    return made
  }

  private func client(_ name: String, host: String = "ipv4:10.0.0.1") -> Principal {
    .unverified(name: name, host: host)
  }

  @Test func aClientBelowItsShareIsNeverRefused() {
    var budgets = ClientBudgets()
    let honest = client("honest")
    var rates = [honest: 90]
    for name in ["a", "b", "c"] { rates[client(name)] = 2000 }
    let made = made(rates, seconds: 10, budgets: &budgets)
    #expect(made[honest] == 900)
    #expect(made.values.reduce(0, +) <= 400 * 12)
    for name in ["a", "b", "c"] { #expect(made[client(name), default: 0] > 600) }
  }

  @Test func madeUpNamesDoNotDisplaceAClientThatCameBefore() {
    var budgets = ClientBudgets()
    let honest = client("honest")
    let isWelcome = budgets.take(for: honest, now: Self.start)
    #expect(isWelcome)
    var (refused, made) = (0, 0)
    for index in 0..<100_000 {
      let now = Self.start + .microseconds(index * 100)
      if budgets.take(for: client("made up \(index)"), now: now) { made += 1 }
      if index % 1000 == 0, !budgets.take(for: honest, now: now) { refused += 1 }
    }
    #expect(refused == 0)
    #expect(made <= 400 * 12 + Int(ClientBudgets.welcome) * ClientBudgets.mostClients)
  }

  @Test func madeUpNamesDoNotKeepOutAClientOfAnotherHost() {
    var budgets = ClientBudgets()
    for index in 0..<20_000 {
      _ = budgets.take(for: client("\(index)"), now: Self.start + .microseconds(index * 100))
    }
    let honest = client("honest", host: "ipv4:10.0.0.2")
    for index in 20_000..<40_000 {
      let now = Self.start + .microseconds(index * 100)
      _ = budgets.take(for: client("\(index)"), now: now)
      guard index % 1000 == 0 else { continue }
      let isTaken = budgets.take(for: honest, now: now)
      #expect(isTaken)
    }
  }

  @Test func aSingleClientMayMakeTwoHundredChangesASecond() {
    var budgets = ClientBudgets()
    let made = made([client("a"): 1000], seconds: 10, budgets: &budgets)
    #expect((2000...2210).contains(made[client("a"), default: 0]))
  }

  @Test func aClientThatWasAwayLeavesItsPlaceFirst() {
    var budgets = ClientBudgets()
    for index in 0..<ClientBudgets.mostClients {
      _ = budgets.take(for: client("\(index)"), now: Self.start)
    }
    let later = Self.start + .seconds(301)
    for index in 1..<ClientBudgets.mostClients {
      _ = budgets.take(for: client("\(index)"), now: later)
    }
    _ = budgets.take(for: client("newcomer"), now: later)
    #expect(budgets.clients.contains(client("newcomer")))
    #expect(!budgets.clients.contains(client("0")))
    #expect(budgets.clients.count == ClientBudgets.mostClients)
  }
}
