/// Shares the changes that other connections may make to one session among their clients.
///
/// Each client may make 200 changes a second, and all together 400. While they want more, each client
/// gets an equal share of the 400: a client that stays below its share is never refused.
///
/// A client is a name and a host. Names can be made up, hosts cannot, so a newcomer to a full table
/// takes the place of a client of the host with the most places, and there of the one that came last:
/// made-up names displace one another, and neither the clients of other hosts nor those that came
/// before. A displaced client's place is taken over as it is, used up or not.
struct ClientBudgets {
  /// The clients that are told apart.
  static let mostClients = 32
  /// For all clients together: the changes at once and for each second.
  static let perSecond = 400.0
  /// For each client: the changes at once and for each second.
  static let clientPerSecond = 200.0
  /// The changes that a newcomer has at once when the common ones are used up.
  static let welcome = 10.0

  /// A client unused for so long leaves its place to a newcomer first.
  private static let longestAbsence = Duration.seconds(300)
  /// A client that was seen within this time counts in the division.
  private static let presence = Duration.seconds(2)

  private struct Place {
    var client: Principal
    var entered: ContinuousClock.Instant
    var lastSeen: ContinuousClock.Instant
    var own = TokenBucket(burst: clientPerSecond, perSecond: clientPerSecond)
    var share = TokenBucket(burst: welcome, perSecond: perSecond)
  }

  private var all = TokenBucket(burst: perSecond, perSecond: perSecond)
  private var places: [Place] = []

  /// The clients that have a place now.
  var clients: [Principal] { places.map(\.client) }

  /// Returns whether a client may make one more change now.
  mutating func take(for client: Principal, now: ContinuousClock.Instant) -> Bool {
    let index = place(of: client, now: now)
    places[index].lastSeen = now
    guard places[index].own.take(now: now) else { return false }
    let present = places.count { now - $0.lastSeen < Self.presence }
    places[index].share.setRate(Self.perSecond / Double(present), now: now)
    if places[index].share.take(now: now) {
      // Counts against the others, even where nothing is left for them.
      all.charge(now: now)
      return true
    }
    return all.take(now: now)
  }

  private mutating func place(of client: Principal, now: ContinuousClock.Instant) -> Int {
    if let index = places.firstIndex(where: { $0.client == client }) { return index }
    if places.count < Self.mostClients {
      places.append(Place(client: client, entered: now, lastSeen: now))
      return places.count - 1
    }
    let index = placeToLeave(for: client, now: now)
    if places[index].client.host == client.host {
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
    // With the newcomer, so that hosts with equally many places leave one another alone.
    var counts = [client.host: 1]
    for place in places { counts[place.client.host, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    let host =
      counts[client.host] == most ? client.host : counts.first { $0.value == most }?.key
    return places.indices.filter { places[$0].client.host == host }
      .max { places[$0].entered < places[$1].entered } ?? 0
  }
}
