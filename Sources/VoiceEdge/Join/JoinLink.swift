internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SessionConversions
internal import Synchronization
internal import VoiceClient

/// The connection of an agent that plays the session of another device. It joins again when the
/// connection is lost, and when the file with the ticket changes.
final class JoinLink: EdgeLink {
  /// The reason for waiting between two attempts.
  private enum Wait {
    case time(Duration)
    /// Another device plays. The ticket must be renewed, or the two would take the playback from each other.
    case newTicket
  }

  private static let answerTimeout = ReconnectionPolicy().attemptTimeout
  /// The time without playback after which the agent asks whether the server is there.
  private static let longestSilence = ReconnectionPolicy().silence

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
    while !Task.isCancelled {
      epoch += 1
      let stamp = file.stamp
      var wait: Wait
      var joined: ContinuousClock.Instant?
      do {
        let ticket = try file.read()
        try await play(ticket, epoch: epoch) { joined = .now }
        state.say(.away("the session has ended"))
        if let joined { attempts.sessionEnded(since: joined) }
        wait = .time(attempts.next())
      } catch let problem as JoinTicketFile.Problem {
        state.say(.away("\(file.path): \(problem.text)"))
        wait = .time(.seconds(1))
      } catch {
        let status = error as? Status ?? Status(.internal, "the server sent an invalid answer")
        if epoch == 1 { try configuration.checkFirst(status) }
        if let joined { attempts.sessionEnded(since: joined) }
        wait = .time(attempts.next(after: status))
        if status.code == .aborted { wait = .newTicket }
        state.say(.away(status.oneLine))
      }
      let ended = epoch
      voice.post { $0.stopPlaying(epoch: ended) }
      await self.wait(wait, after: stamp)
    }
  }

  /// Waits for a time, or until the file is another one.
  private func wait(_ wait: Wait, after stamp: JoinTicketFile.Stamp?) async {
    let end: ContinuousClock.Instant? =
      switch wait {
      case .time(let time): .now + time
      case .newTicket: nil
      }
    while !Task.isCancelled, file.stamp == stamp, end.map({ .now < $0 }) ?? true {
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  private func play(
    _ ticket: JoinTicket, epoch: Int, joined: () -> Void
  ) async throws {
    let server = VoiceProcessingClient(
      server: configuration.address, clientName: client, security: configuration.security,
      credentials: configuration.credentials
    ).reconnected()
    try await ServerLink.checkVersion(of: server)
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
    try await race(
      { [self] in
        while let chunk = try await stream.receive() {
          lastPlayback.withLock { $0 = .now }
          voice.post { $0.received(chunk, epoch: epoch) }
        }
      }, { [self] in try await watch(server) })
  }

  /// Throws when the server does not answer any more. A session without its microphone is silent too.
  private func watch(_ server: VoiceProcessingClient) async throws {
    while true {
      try await Task.sleep(for: Self.longestSilence)
      let silence = lastPlayback.withLock { .now - $0 }
      guard silence > Self.longestSilence else { continue }
      _ = try await server.capabilities(timeout: Self.answerTimeout)
    }
  }
}
