/// How many changes other connections may make to one session: each client by itself, so that one
/// that floods does not keep the others out, and all together.
struct ClientBudgets {
  /// So many clients are told apart; with more all begin anew.
  private static let mostClients = 64

  private var all = TokenBucket(burst: 400, perSecond: 400)
  private var clients: [String: TokenBucket] = [:]

  /// Whether a client may make one more change now.
  mutating func take(for client: String, now: ContinuousClock.Instant) -> Bool {
    if clients[client] == nil, clients.count >= Self.mostClients { clients = [:] }
    let mayClient =
      clients[client, default: TokenBucket(burst: 200, perSecond: 200)].take(now: now)
    return mayClient && all.take(now: now)
  }
}
