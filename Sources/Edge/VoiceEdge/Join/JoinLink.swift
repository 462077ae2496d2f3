internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import LinuxSystem
internal import SessionWire
internal import Synchronization
internal import VoiceClient

/// The connection of an agent that plays the session of another device. It joins again when the
/// connection is lost, and when the file gets another ticket.
final class JoinLink: EdgeLink {
  /// The reason for waiting between two attempts.
  private enum Wait {
    case time(Duration)
    /// The time for which the server asked, also for another ticket.
    case namedTime(Duration)
    /// Another device plays. The ticket must be renewed, or the two would take the playback from each other.
    case newTicket

    init(_ status: Status, _ time: Duration) {
      if status.isTakenOver {
        self = .newTicket
      } else {
        self = status.retryDelay == nil ? .time(time) : .namedTime(time)
      }
    }
  }

  /// The reason for which a session that was joined is not played any more, though its connection is there.
  private enum End {
    case sessionEnded
    case otherTicket
  }

  private static let answerTimeout = ReconnectionPolicy().attemptTimeout
  /// The time without playback after which the agent asks whether the server is there.
  private static let longestSilence = ReconnectionPolicy().silence
  /// The time between two looks at the file with the ticket.
  private static let glance = Duration.milliseconds(100)

  let state: LinkState
  private let configuration: EdgeConfiguration.Server
  private let client: String
  private let file: JoinTicketFile
  private let voice: Mailbox<EdgeVoice>
  private let lastPlayback = Mutex(ContinuousClock.now)

  init(
    _ configuration: EdgeConfiguration.Server, client: String, file: JoinTicketFile,
    voice: Mailbox<EdgeVoice>, log: @escaping @Sendable (String) -> Void
  ) {
    self.configuration = configuration
    self.client = client
    self.file = file
    self.voice = voice
    state = LinkState(configuration.address, log: log)
  }

  func run() async throws {
    var attempts = Attempts()
    var epoch = 0
    var isKnown = false
    while !Task.isCancelled {
      epoch += 1
      let version = file.version
      var wait: Wait
      var joined: ContinuousClock.Instant?
      do {
        let ticket = try file.read()
        let end = try await play(ticket, epoch: epoch, isKnown: isKnown) {
          (joined, isKnown) = (.now, true)
        }
        if let joined { attempts.sessionEnded(since: joined) }
        switch end {
        case .sessionEnded:
          state.say(.away("the session has ended"))
          wait = .time(attempts.next())
        case .otherTicket:
          state.say(.away("\(file.path) contains another ticket"))
          wait = .time(.zero)
        }
      } catch let problem as JoinTicketFile.FileError {
        state.say(.away("\(file.path): \(problem.text)"))
        wait = .time(.seconds(1))
      } catch {
        let status = error as? Status ?? Status(.internal, "the server sent an invalid answer")
        if epoch == 1 { try configuration.checkFirst(status) }
        if let joined { attempts.sessionEnded(since: joined) }
        // Another version may have taken the server's place.
        if status.code == .unimplemented { isKnown = false }
        wait = Wait(status, attempts.next(after: status))
        state.say(.away(status.oneLine))
      }
      let ended = epoch
      voice.post { $0.stopPlaying(epoch: ended) }
      await self.wait(wait, after: version)
    }
  }

  /// Waits for a time, or until the file is another one.
  private func wait(_ wait: Wait, after version: RegularFile.Version?) async {
    let time: Duration?
    switch wait {
    case .namedTime(let named):
      try? await Task.sleep(for: named)
      return
    case .time(let limit): time = limit
    case .newTicket: time = nil
    }
    let end = time.map { ContinuousClock.now + $0 }
    while !Task.isCancelled, file.version == version {
      let left = end.map { $0 - .now } ?? Self.glance
      guard left > .zero else { return }
      try? await Task.sleep(for: min(left, Self.glance))
    }
  }

  /// Plays a session until it ends, or the file has another ticket. `isKnown` says that the version of the
  /// server has been checked.
  private func play(
    _ ticket: JoinTicket, epoch: Int, isKnown: Bool, joined: () -> Void
  ) async throws -> End {
    let server = configuration.newClient(named: client)
    if !isKnown { try await ServerLink.checkVersion(of: server) }
    let stream = try await answer(of: "server", within: Self.answerTimeout) {
      try await server.join(token: ticket.secret, session: ticket.session)
    }
    defer { stream.cancel() }
    let format: AudioFormat
    do { format = try AudioFormat(output: stream.joined.playback, path: "playback") } catch {
      throw Status(.internal, "\(error)")
    }
    guard format.opus == nil else {
      throw Status(.failedPrecondition, "the playback is Opus, which the agent does not play")
    }
    joined()
    let session = stream.joined.session
    voice.post { $0.play(session, format, epoch: epoch) }
    state.say(.connected(session: session))
    lastPlayback.withLock { $0 = .now }
    return try await race(
      { [self] in
        while let chunk = try await stream.receive() {
          lastPlayback.withLock { $0 = .now }
          voice.post { $0.received(chunk, epoch: epoch) }
        }
        return .sessionEnded
      },
      { [self] () -> End in try await watch(server) },
      { [self] in
        try await anotherTicket(than: ticket)
        return .otherTicket
      })
  }

  /// Returns when the file contains another ticket. A file that cannot be read does not count.
  private func anotherTicket(than ticket: JoinTicket) async throws {
    var seen: RegularFile.Version?
    while true {
      let version = file.version
      if version != seen, let other = try? file.read(), other != ticket { return }
      seen = version
      try await Task.sleep(for: Self.glance)
    }
  }

  /// Throws when the server does not answer any more. A session without its microphone is silent too.
  private func watch(_ server: VoiceProcessingClient) async throws -> Never {
    var answered = ContinuousClock.now
    while true {
      let heard = max(answered, lastPlayback.withLock { $0 })
      guard .now - heard >= Self.longestSilence else {
        try await Task.sleep(until: heard + Self.longestSilence, clock: .continuous)
        continue
      }
      _ = try await server.capabilities(timeout: Self.answerTimeout)
      answered = .now
    }
  }
}
