internal import AnechoicAPI
internal import GRPCTransport
internal import VoiceClient

/// The connection to the server. It keeps a session open during a call. When the connection is lost, it
/// continues the session, or opens another if the server does not have the session any more. It tells
/// the voice thread about each step and never blocks it.
final class ServerLink: EdgeLink {
  private static let answerTimeout = ReconnectionPolicy().attemptTimeout
  /// The time in which the server must end the session of a call that is over.
  private static let longestEnd = Duration.seconds(2)
  /// The time in which the server must end the session of an agent that stops.
  private static let farewell = Duration.milliseconds(500)
  /// The session names that follow the configured one have the suffixes up to this number.
  private static let highestSuffix = 9

  private let configuration: EdgeConfiguration.Server
  private let client: String
  private let voice: Mailbox<EdgeVoice>
  private let board: StatusBoard
  /// The file for the ticket with which another device joins. Nil for none.
  private let share: JoinTicketFile?
  private let log: @Sendable (String) -> Void
  let state: LinkState

  init(
    _ configuration: EdgeConfiguration.Server, client: String, share: JoinTicketFile? = nil,
    voice: Mailbox<EdgeVoice>, board: StatusBoard, log: @escaping @Sendable (String) -> Void
  ) {
    self.configuration = configuration
    self.client = client
    self.share = share
    self.voice = voice
    self.board = board
    self.log = log
    state = LinkState(configuration.address, log: log)
  }

  func run() async throws {
    defer { share?.remove() }
    var attempts = Attempts()
    var epoch = 0
    var refusedNames = 0
    var hasRun = try await checkServer()
    while !Task.isCancelled {
      if !board.status.call.isOn {
        share?.remove()
        state.say(.resting)
        await untilCall(isOn: true)
        attempts = Attempts()
        refusedNames = 0
        continue
      }
      let ended = epoch
      voice.post { $0.disconnected(epoch: ended) }
      epoch += 1
      var wait: Duration
      do {
        let loss = try await runSession(
          epoch: epoch, suffix: Self.suffix(after: refusedNames), hasRun: hasRun)
        hasRun = true
        attempts.sessionEnded(since: loss.began)
        refusedNames = 0
        if !loss.status.isLostConnection { forgetSession() }
        guard board.status.call.isOn else { continue }
        wait = attempts.next(after: loss.status)
        state.say(.away(loss.status.oneLine))
      } catch is SessionGoneError {
        wait = attempts.resumptionRefused()
      } catch {
        let status = error as? Status ?? Status(.internal, "the server sent an invalid answer")
        if epoch == 1 { try configuration.checkFirst(status) }
        voice.post { $0.startRefused(status) }
        // Another version may have taken the server's place.
        if status.code == .unimplemented { hasRun = false }
        wait = attempts.next(after: status)
        // The old session, whose connection broke, still has the name. Another name will work.
        if status.code == .alreadyExists {
          refusedNames += 1
          if refusedNames < Self.highestSuffix {
            wait = ReconnectionPolicy.varied(.milliseconds(50))
          }
        }
        state.say(.away(status.oneLine))
      }
      await sleep(wait)
    }
  }

  /// Checks once, before the first call, whether this is a server for the agent, so that a mistake shows
  /// at the start. Returns whether it is. A server that is away is no mistake.
  private func checkServer() async throws -> Bool {
    do {
      return try await race(
        { [configuration, client] in
          try await Self.checkVersion(of: configuration.newClient(named: client))
          return true
        },
        {
          await self.untilCall(isOn: true)
          return false
        })
    } catch let status as Status {
      try configuration.checkFirst(status)
      if !status.isUnreachable { state.say(.away(status.oneLine)) }
      return false
    }
  }

  /// Waits until a call begins, or until it ends.
  private func untilCall(isOn: Bool) async {
    for await status in board.watch() where status.call.isOn == isOn { return }
  }

  /// Sleeps while the call lasts.
  private func sleep(_ time: Duration) async {
    try? await race({ try await Task.sleep(for: time) }, { await self.untilCall(isOn: false) })
  }

  /// The suffix of the session's name, or 0 for none. When all names have been refused, they are tried
  /// again, but no longer at once.
  private static func suffix(after refusedNames: Int) -> Int {
    refusedNames == 0 ? 0 : (refusedNames - 1) % highestSuffix + 1
  }

  /// The end of a session that had started.
  private struct SessionLoss {
    var status: Status
    var began: ContinuousClock.Instant
  }

  /// Runs one session, and returns how it ended. Throws if none starts.
  private func runSession(epoch: Int, suffix: Int, hasRun: Bool) async throws -> SessionLoss {
    let server = configuration.newClient(named: client)
    // A server that has just started is slow to tell its capabilities.
    if !hasRun { try await Self.checkVersion(of: server) }
    let (start, stream) = try await open(on: server, suffix: suffix)
    let outbox = Outbox()
    let (abandonments, abandonment) = AsyncStream.makeStream(of: Void.self)
    let session = ServerSession(
      start: start, started: stream.started, epoch: epoch, outbox: outbox,
      abandon: { abandonment.yield() })
    voice.post { $0.connected(session) }
    publishTicket(of: stream.started)
    state.say(.connected(session: stream.started.session))
    let sending = Task { await send(outbox, to: stream) }
    let ending = Task {
      await untilCall(isOn: false)
      // The voice thread has left the session.
      try await Task.sleep(for: Self.longestEnd)
      abandonment.yield()
    }
    defer {
      ending.cancel()
      outbox.close()
      sending.cancel()
      voice.post { $0.disconnected(epoch: epoch) }
    }
    // Not a child task, so that an agent that stops can still end its session.
    let receiving = Task { [voice] in
      while let response = try await stream.receive() {
        voice.post { $0.received(response, epoch: epoch) }
      }
    }
    defer { receiving.cancel() }
    let began = ContinuousClock.now
    do {
      try await withTaskCancellationHandler {
        try await race(
          { try await receiving.value },
          {
            for await _ in abandonments {
              receiving.cancel()
              throw Status(
                .unavailable, "the server has not answered for \(ReconnectionPolicy().silence)")
            }
            throw CancellationError()
          })
      } onCancel: {
        outbox.close()
        Task {
          try? await Task.sleep(for: Self.farewell)
          receiving.cancel()
        }
      }
      return SessionLoss(status: Status(.ok, "the server ended the session"), began: began)
    } catch {
      let status = error as? Status ?? Status(.internal, "the server sent an invalid answer")
      return SessionLoss(status: status, began: began)
    }
  }

  /// The session cannot be continued, so another one follows at once.
  private struct SessionGoneError: Error {}

  /// Continues the lost session, or starts another. Throws `SessionGoneError` if the server refuses to continue it.
  private func open(
    on server: VoiceProcessingClient, suffix: Int
  ) async throws -> (Anechoic_V1_Start, ProcessStream) {
    let start = await voice.ask { $0.makeStart(suffix: suffix) }
    do {
      let stream = try await answer(of: "server", within: Self.answerTimeout) {
        try await server.process(start)
      }
      // All that was captured until then may have been sent.
      try stream.checkResumption(sent: 0, asked: start.resumePoint.microphoneSample)
      return (start, stream)
    } catch let status as Status
      where !start.resumeToken.isEmpty
      && (status.isUnknownSession || status.isStoppingServer || status.isHopeless)
    {
      // The server does not have the session any more, or not with these settings.
      forgetSession()
      throw SessionGoneError()
    }
  }

  /// Gives up a session that has ended.
  private func forgetSession() {
    share?.remove()
    voice.post { $0.forgetSession() }
  }

  /// Writes down how another device joins the session.
  private func publishTicket(of started: Anechoic_V1_Started) {
    guard let share, let ticket = JoinTicket(started) else { return }
    do throws(JoinTicketFile.FileError) { try share.write(ticket) } catch {
      log("session.share: \(share.path): \(error.text)")
    }
  }

  /// Throws a `Status` if the agent cannot use the server.
  static func checkVersion(of server: VoiceProcessingClient) async throws {
    let version = try await server.capabilities(timeout: answerTimeout).version
    guard speaks(version) else {
      throw Status(
        .unimplemented, "the server has version \(version), this agent \(anechoicVersion)")
    }
  }

  /// Returns whether the agent can use a server of this version. Versions with a different major
  /// number are incompatible, except for 0.
  static func speaks(_ version: String) -> Bool {
    func epoch(_ version: String) -> ArraySlice<Substring> {
      let numbers = version.split(separator: ".")
      return numbers.prefix((numbers.firstIndex { $0 != "0" } ?? 0) + 1)
    }
    return epoch(version) == epoch(anechoicVersion)
  }

  private func send(_ outbox: Outbox, to stream: ProcessStream) async {
    // If a send fails, the receiving side reports the error.
    while let item = await outbox.next() {
      do {
        switch item {
        case .audio(let audio): try await stream.send(audio)
        case .report(let report): try await stream.send(report)
        case .control(let control): try await stream.send(control)
        case .device(let report): try await stream.send(report)
        case .pose(let pose): try await stream.send(pose)
        }
      } catch { return }
    }
    stream.finish()
  }
}

/// An error that prevents an agent from working at all.
public struct EdgeError: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

extension Status {
  /// Whether no server answered.
  var isUnreachable: Bool {
    code == .unavailable || code == .deadlineExceeded || code == .cancelled
  }

  /// A part of a start without which a session runs as well, by its field.
  enum OptionalPart: String, CaseIterable {
    case echoPath = "start.echo_path_hint"
    case voice = "start.voiceprint"
  }

  /// The part for which the server has refused a start, and which the next start leaves out. Nil if there
  /// is none.
  var refusedPart: OptionalPart? { OptionalPart.allCases.first { refuses($0.rawValue) } }

  /// Whether the server will refuse again, because the configuration is wrong or the server is
  /// another one.
  var isHopeless: Bool {
    switch code {
    case .invalidArgument, .unimplemented, .unauthenticated, .permissionDenied: true
    // A certificate that is refused may be valid once the clock of this machine is set, or be renewed.
    default: false
    }
  }

  var oneLine: String {
    let words = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    if isCertificateRefusal { return "the server's certificate is refused: \(words)" }
    if code == .unimplemented {
      return "this is not an Anechoic server of this version" + (words.isEmpty ? "" : ": \(words)")
    }
    return words + (connectionHint.map { "; \($0)" } ?? "")
  }
}

/// A session on the server, as the voice thread knows it.
struct ServerSession: Sendable {
  let start: Anechoic_V1_Start
  let started: Anechoic_V1_Started
  /// A number that differs for each session.
  let epoch: Int
  let outbox: Outbox
  /// Ends the call, because the server has not answered for too long.
  let abandon: @Sendable () -> Void
}
