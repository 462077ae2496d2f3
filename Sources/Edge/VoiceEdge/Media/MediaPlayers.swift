internal import EdgeAudio

/// The media players of a desktop: programs on the session bus with the interface of MPRIS
/// (`org.mpris.MediaPlayer2.Player`). They are paused during a call and resumed after it.
///
/// No function waits longer than a second for a player, even for one that does not answer.
actor MediaPlayers {
  /// A reason to pause players. They are resumed when no reason is left.
  enum Reason: Sendable {
    /// A session runs.
    case session
    /// The server's arbiter asks for it.
    case arbiter
  }

  private enum Interface {
    static let path = "/org/mpris/MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"
    static let status = "PlaybackStatus"
  }

  /// Names the feature in the log.
  private static let title = "media players"
  /// The limit of each call.
  private static let limit = Duration.seconds(1)

  private let address: BusAddress
  private let file: RememberedFile<PlayerStates.Entry>
  private let log: @Sendable (String) -> Void
  private var states: PlayerStates
  private var reasons: Set<Reason> = []
  /// Whether a reason was ever given or taken back. Until then, nobody knows whether the players of an
  /// earlier run should be resumed.
  private var isDecided = false
  /// Whether players have to be paused as soon as they are known.
  private var isPausePending = false
  private var bus: BusConnection?
  private var hasListed = false
  private var lastProblem: String?

  init(
    _ address: BusAddress, file: RememberedFile<PlayerStates.Entry>,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.address = address
    self.file = file
    self.log = log
    states = PlayerStates(paused: file.readOrIgnore(Self.title, log))
  }

  /// Whether a player plays, as far as the players tell.
  var isPlaying: Bool { states.isPlaying }

  /// The number of players that were paused here and are to be resumed.
  var pausedCount: Int { states.paused.count }

  /// Pauses the players that play. Returns when all have answered, at the latest after a second.
  /// Players that begin later are left alone.
  func pause(for reason: Reason) async {
    isDecided = true
    guard reasons.insert(reason).inserted else { return }
    guard hasListed else { return isPausePending = true }
    await pauseAll()
  }

  /// Takes a reason back. If it was the last one, resumes the players that were paused here and are still
  /// paused. Returns at the latest after two seconds.
  func resume(for reason: Reason) async {
    isDecided = true
    reasons.remove(reason)
    guard reasons.isEmpty else { return }
    isPausePending = false
    if hasListed { await resumeAll() }
  }

  /// Resumes all players, for all reasons, and disconnects.
  func finish() async {
    reasons = []
    isPausePending = false
    if hasListed { await resumeAll() }
    disconnected()
  }

  /// Follows the players until the task is cancelled. Connects again when the bus was lost.
  func run() async {
    var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
    while !Task.isCancelled {
      do throws(BusError) {
        let bus = try await BusConnection.open(address)
        try await follow(bus)
        guard !Task.isCancelled else { return }
        backoff.reset()
        recordProblem("the connection to the bus was lost")
      } catch {
        recordProblem(error.description)
      }
      disconnected()
      try? await Task.sleep(for: backoff.next())
    }
  }

  private func recordProblem(_ problem: String) {
    guard problem != lastProblem else { return }
    lastProblem = problem
    log("\(Self.title): \(problem); trying again")
  }

  private func disconnected() {
    bus = nil
    hasListed = false
    states.disconnected()
  }

  private func follow(_ bus: BusConnection) async throws(BusError) {
    self.bus = bus
    try await bus.watch(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0namespace='org.mpris.MediaPlayer2'")
    try await bus.watch(
      "type='signal',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
        + "path='\(Interface.path)',arg0='\(Interface.player)'")
    let identifier = try await bus.call(.bus("GetId")).first?.text ?? ""
    states.connected(bus: identifier)
    let names = try await bus.call(.bus("ListNames")).first?.elements ?? []
    let players = names.compactMap(\.text).filter { $0.hasPrefix(PlayerStates.prefix) }
    await withTaskGroup { group in
      for name in players.prefix(PlayerStates.most) {
        group.addTask { await self.find(name, on: bus) }
      }
    }
    hasListed = true
    lastProblem = nil
    log("\(Self.title): the bus answers")
    if isPausePending {
      await pauseAll()
    } else if isDecided, reasons.isEmpty {
      await resumeAll()
    }
    await withDiscardingTaskGroup { group in
      for await message in bus.messages where message.kind == .signal {
        if let question = record(message) {
          group.addTask { await self.ask(question.name, question.version, on: bus) }
        }
      }
    }
  }

  /// Records a player that was there before.
  private func find(_ name: String, on bus: BusConnection) async {
    guard
      let owner = try? await bus.call(.bus("GetNameOwner", [.string(name)]), within: Self.limit)
        .first?.text, let version = states.appeared(name, owner: owner)
    else { return }
    await ask(name, version, on: bus)
  }

  /// Records a signal. Returns the player to ask for its state, if there is one.
  private func record(_ signal: BusMessage) -> (name: String, version: Int)? {
    let values = signal.arguments
    switch (signal.interface, signal.member) {
    case ("org.freedesktop.DBus", "NameOwnerChanged"):
      guard signal.sender == "org.freedesktop.DBus", values.count == 3, let name = values[0].text,
        let owner = values[2].text, name.hasPrefix(PlayerStates.prefix)
      else { return nil }
      let before = states.paused.count
      let version = states.appeared(name, owner: owner)
      if states.paused.count != before { remember() }
      return version.map { (name, $0) }
    case ("org.freedesktop.DBus.Properties", "PropertiesChanged"):
      guard values.count == 3, signal.path == Interface.path,
        values[0].text == Interface.player
      else { return nil }
      if let text = values[1].named?[Interface.status]?.text {
        if let playback = PlayerStates.Playback(rawValue: text) {
          states.changed(owner: signal.sender, playback)
        }
        return nil
      }
      let isOutdated = values[2].elements?.contains(.string(Interface.status)) == true
      return isOutdated ? states.names(of: signal.sender).first : nil
    default: return nil
    }
  }

  /// Asks a player for its state.
  private func ask(_ name: String, _ version: Int, on bus: BusConnection) async {
    if let playback = await playback(of: name, on: bus) {
      states.answered(name, version: version, playback)
    }
  }

  private func playback(
    of name: String, on bus: BusConnection
  ) async -> PlayerStates.Playback? {
    let call = BusCall.property(
      Interface.status, of: Interface.player, name, Interface.path)
    return try? await bus.call(call, within: Self.limit).first?.text
      .flatMap { PlayerStates.Playback(rawValue: $0) }
  }

  private func pauseAll() async {
    isPausePending = false
    guard let bus else { return }
    let entries = states.pausePlaying()
    guard !entries.isEmpty else { return }
    // A player is written down before it is paused, and forgotten after it was resumed.
    remember()
    log("\(Self.title): pausing \(Self.list(entries))")
    await withTaskGroup { group in
      for entry in entries { group.addTask { await self.pause(entry, on: bus) } }
    }
  }

  private func pause(_ entry: PlayerStates.Entry, on bus: BusConnection) async {
    let call = BusCall(entry.owner, Interface.path, Interface.player, "Pause")
    do throws(BusError) { try await bus.call(call, within: Self.limit) } catch {
      log("\(Self.title): \(entry.name): \(error)")
    }
  }

  private func resumeAll() async {
    guard let bus, !states.paused.isEmpty else { return }
    let entries = states.paused
    log("\(Self.title): resuming \(Self.list(entries))")
    await withTaskGroup { group in
      for entry in entries { group.addTask { await self.resume(entry, on: bus) } }
    }
    remember()
  }

  /// Resumes a player if it is still paused.
  private func resume(_ entry: PlayerStates.Entry, on bus: BusConnection) async {
    // Asked now, because the news that it has paused may be on its way.
    guard await playback(of: entry.owner, on: bus) == .paused else {
      if reasons.isEmpty { states.forget(entry) }
      return
    }
    // A new reason to pause may have come meanwhile. Then the player stays paused.
    guard reasons.isEmpty else { return }
    states.resume(entry)
    let call = BusCall(entry.owner, Interface.path, Interface.player, "Play")
    do throws(BusError) { try await bus.call(call, within: Self.limit) } catch {
      log("\(Self.title): \(entry.name): \(error)")
    }
    // The next call may have begun meanwhile, whose request to pause may have been the first of the two.
    if states.paused.contains(entry) { await pause(entry, on: bus) }
  }

  private func remember() { file.write(states.paused, Self.title, log) }

  private static func list(_ entries: [PlayerStates.Entry]) -> String {
    entries.map { $0.name.dropFirst(PlayerStates.prefix.count) }.joined(separator: ", ")
  }
}
