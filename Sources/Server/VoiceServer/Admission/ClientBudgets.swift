internal import Authentication
internal import Operations

/// The budgets for the changes that clients of other connections make to one session.
///
/// Each client may make 200 changes a second, and all clients together 400. While the clients want
/// more, each client gets an equal share of the 400. A client that stays below its share is never
/// refused.
///
/// A client is identified by its name and its account, which is its host unless the name is
/// verified. A client can invent names but not accounts. If the table is full, a new client
/// therefore takes the place of another client of the account with the most places: of the one that
/// came last. Invented names displace each other, and neither the clients of other accounts nor
/// earlier clients. The new client takes over the rest of the budget.
struct ClientBudgets {
  /// The maximum number of clients in the table.
  static let mostClients = 32
  /// The number of changes at once, and in each second, of all clients together.
  static let perSecond = 400.0
  /// The number of changes at once, and in each second, of each client.
  static let clientPerSecond = 200.0
  /// The number of changes that a new client may make at once while the common budget is used up.
  static let welcome = 10.0

  /// The time without a change after which a client is the first to lose its place.
  private static let longestAbsence = Duration.seconds(300)
  /// The time for which a client counts when the common budget is divided.
  private static let presence = Duration.seconds(2)

  private struct Place {
    var client: Principal
    var entered: ContinuousClock.Instant
    var lastSeen: ContinuousClock.Instant
    var own = TokenBucket(burst: clientPerSecond, perSecond: clientPerSecond)
    var share = TokenBucket(burst: welcome, perSecond: perSecond)
  }

  /// The joins of other devices. Each join and each leave is an event of the session, of which only the
  /// last 1,000 are kept.
  var joins = TokenBucket(burst: 10, perSecond: 1)
  private var all = TokenBucket(burst: perSecond, perSecond: perSecond)
  private var places: [Place] = []

  /// The clients in the table.
  var clients: [Principal] { places.map(\.client) }

  /// Counts a change of a client. Returns whether the change is allowed.
  mutating func take(for client: Principal, now: ContinuousClock.Instant) -> Bool {
    let index = place(of: client, now: now)
    places[index].lastSeen = now
    guard places[index].own.take(now: now) else { return false }
    let present = places.count { now - $0.lastSeen < Self.presence }
    places[index].share.setRate(Self.perSecond / Double(present), now: now)
    if places[index].share.take(now: now) {
      // The change counts in the common budget too, even if nothing is left there.
      all.charge(now: now)
      return true
    }
    return all.take(now: now)
  }

  private mutating func place(of client: Principal, now: ContinuousClock.Instant) -> Int {
    if let index = places.firstIndex(where: {
      $0.client.name == client.name && $0.client.account == client.account
    }) {
      return index
    }
    if places.count < Self.mostClients {
      places.append(Place(client: client, entered: now, lastSeen: now))
      return places.count - 1
    }
    let index = placeToLeave(for: client, now: now)
    if places[index].client.account == client.account {
      places[index].client = client
      places[index].entered = now
    } else {
      places[index] = Place(client: client, entered: now, lastSeen: now)
    }
    return index
  }

  private func placeToLeave(for client: Principal, now: ContinuousClock.Instant) -> Int {
    if let absent = places.indices.min(by: { places[$0].lastSeen < places[$1].lastSeen }),
      now - places[absent].lastSeen > Self.longestAbsence
    {
      return absent
    }
    // The new client counts too, so that accounts with equally many places do not displace each other.
    var counts = [client.account: 1]
    for place in places { counts[place.client.account, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    let account =
      counts[client.account] == most ? client.account : counts.first { $0.value == most }?.key
    return places.indices.filter { places[$0].client.account == account }
      .max { places[$0].entered < places[$1].entered } ?? 0
  }
}
