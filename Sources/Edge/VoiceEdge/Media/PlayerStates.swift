/// The rule that pauses media players and resumes them, without I/O.
struct PlayerStates: Sendable, Equatable {
  /// The state of a player, in the words of MPRIS.
  enum Playback: String, Sendable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
  }

  /// A player that was paused.
  struct Entry: Codable, Sendable, Hashable {
    /// The player's name, such as `org.mpris.MediaPlayer2.vlc`.
    var name: String
    /// The unique name of its connection, which no other program on the same bus gets.
    var owner: String
    /// The identifier of the bus.
    var bus: String
  }

  private struct Player: Sendable, Equatable {
    var owner: String
    var playback: Playback?
    /// The number of changes, so that an answer that a change has overtaken does not count.
    var version = 0
  }

  /// The start of the name of each player.
  static let prefix = "org.mpris.MediaPlayer2."
  /// The maximum number of players that are followed.
  static let most = 64
  /// The longest time in which a player begins to play after it was asked.
  static let longestStart = Duration.seconds(10)

  private var players: [String: Player] = [:]
  private var bus = ""
  /// The players to resume. Those of an earlier run of the agent are among them.
  private(set) var paused: [Entry]
  /// Players that have been seen paused since they were paused.
  private var confirmed: Set<Entry> = []
  /// Players that were asked to play, and have not told yet that they do.
  private var resuming: [Entry: ContinuousClock.Instant] = [:]

  init(paused: [Entry] = []) { self.paused = Array(paused.prefix(Self.most)) }

  var isPlaying: Bool { players.values.contains { $0.playback == .playing } }

  /// Starts with a new bus and no players. Forgets the players of other buses.
  mutating func connected(bus: String) {
    self.bus = bus
    players = [:]
    paused.removeAll { $0.bus != bus }
    confirmed.formIntersection(paused)
    resuming = [:]
  }

  /// Forgets all players, because the bus is gone. The paused ones stay, because the bus may be the same.
  mutating func disconnected() { players = [:] }

  /// Records the owner of a player's name; empty for none. Returns the version for `answered`.
  mutating func appeared(_ name: String, owner: String) -> Int? {
    paused.removeAll { $0.name == name && $0.bus == bus && $0.owner != owner }
    guard !owner.isEmpty else {
      players[name] = nil
      return nil
    }
    guard players[name] != nil || players.count < Self.most else { return nil }
    let version = (players[name]?.version ?? 0) + 1
    players[name] = Player(owner: owner, version: version)
    return version
  }

  /// Returns the names that a connection has, with a version of each.
  func names(of owner: String) -> [(name: String, version: Int)] {
    players.filter { $0.value.owner == owner }.map { ($0.key, $0.value.version) }
  }

  /// Records the answer of a player. Ignores an answer that a change has overtaken.
  mutating func answered(_ name: String, version: Int, _ playback: Playback) {
    guard players[name]?.version == version else { return }
    set(name, playback)
  }

  /// Records a change that a player has told.
  mutating func changed(owner: String, _ playback: Playback) {
    for (name, _) in names(of: owner) { set(name, playback) }
  }

  private mutating func set(_ name: String, _ playback: Playback) {
    guard var player = players[name] else { return }
    player.playback = playback
    player.version += 1
    players[name] = player
    let entry = Entry(name: name, owner: player.owner, bus: bus)
    if playback != .paused { resuming[entry] = nil }
    guard paused.contains(entry) else { return }
    if playback == .paused { confirmed.insert(entry) }
    // A person has started the player again. From now on, it is the person's.
    if playback == .playing, confirmed.contains(entry) { forget(entry) }
  }

  /// Returns the players that play or are about to, and remembers them as paused.
  mutating func pausePlaying(at now: ContinuousClock.Instant = .now) -> [Entry] {
    let entries = players.compactMap { name, player -> Entry? in
      let entry = Entry(name: name, owner: player.owner, bus: bus)
      let isResuming = resuming[entry].map { now - $0 < Self.longestStart } == true
      return player.playback == .playing || isResuming ? entry : nil
    }
    .sorted { $0.name < $1.name }
    resuming = [:]
    paused = Array((paused.filter { !entries.contains($0) } + entries).suffix(Self.most))
    confirmed.subtract(entries)
    return entries
  }

  /// Forgets a paused player, because it is asked to play.
  mutating func resume(_ entry: Entry, at now: ContinuousClock.Instant = .now) {
    forget(entry)
    resuming[entry] = now
  }

  /// Forgets a paused player.
  mutating func forget(_ entry: Entry) {
    paused.removeAll { $0 == entry }
    confirmed.remove(entry)
  }
}
