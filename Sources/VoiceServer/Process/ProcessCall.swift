internal import AnechoicAPI
internal import GRPCTransport
internal import SessionConversions
internal import VoiceSessions

/// A `Process` call, which is one session. It takes requests and sends responses, all on the call's
/// thread.
final class ProcessCall: ServerCallHandler {
  private enum State {
    case awaitingStart
    /// The first request has arrived and waits for its turn.
    case starting
    case running(RunningSession)
    case over
  }

  private let call: ServerCall
  private let configuration: ServerConfiguration
  private let directory: SessionDirectory
  private var state = State.awaitingStart
  private var session: RunningSession?
  /// Whether the session reads nothing until its client has read more.
  private var isHeldBack = false
  private var resumption: Timer?
  private lazy var output = OutgoingMessages(call, limit: configuration.unreadLimit) {
    [weak self] in self?.overflowed()
  }

  init(_ call: ServerCall, _ configuration: ServerConfiguration, _ directory: SessionDirectory) {
    self.call = call
    self.configuration = configuration
    self.directory = directory
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    do throws(Status) {
      switch state {
      case .awaitingStart: return try startInTurn(message)
      case .running(let session): try session.take(message)
      case .starting, .over: return
      }
      readOn()
    } catch {
      end(error)
    }
  }

  func halfClosed() {
    switch state {
    case .awaitingStart:
      end(Status(InvalidField("start", "is required; the client ended the stream without it")))
    case .running(let session):
      session.end(.clientClosed, .ok)
    case .starting, .over: break
    }
  }

  func writeCompleted() {
    session?.clientHasRead()
    output.writeCompleted()
    if isHeldBack { readOn() }
  }

  func stalled() { close(.slowConsumer) }

  func cancelled() { close() }

  func ended() { close() }

  /// Starts the session when no call of the thread has an event. A start takes milliseconds, and
  /// many starts at once would delay the frames of other sessions.
  private func startInTurn(_ message: UnsafeRawBufferPointer) throws(Status) {
    // The size is checked first, because a message that waits for its turn is kept.
    do { try Anechoic_V1_ProcessRequest.checkSize(message) } catch { throw Status(error) }
    let message = Array(message)
    state = .starting
    resumption = call.whenIdle { [weak self] in
      guard let self, case .starting = state else { return }
      if let refusal = message.withUnsafeBytes({ self.refusal(ofStart: $0) }) {
        end(refusal)
      } else {
        readOn()
      }
    }
  }

  private func refusal(ofStart message: UnsafeRawBufferPointer) -> Status? {
    do throws(Status) {
      try start(message)
      return nil
    } catch {
      return error
    }
  }

  private func start(_ message: UnsafeRawBufferPointer) throws(Status) {
    let request: Anechoic_V1_ProcessRequest
    do { request = try .decoded(message) } catch { throw Status(error) }
    do {
      let start = try request.firstStart()
      var setup = try SessionSetup(start)
      call.writeDeadline = configuration.unreadDeadline(isRealTime: setup.isRealTime)
      let client = try Principal(call)
      setup.owner = ControlOrigin(actor: client.name, isMediaClient: true)
      setup.allowsInjection = configuration.allowsInjection
      let session = try RunningSession(
        id: SessionID.resolve(start.sessionID), setup, start,
        labels: SessionLabels.check(start.labels, path: "start.labels"),
        engine: configuration.engines.engine(of: start), by: client, on: call,
        output: ResponseStream(output),
        directory: directory, limits: configuration.limits
      ) { [weak self] in self?.end($0) }
      self.session = session
      state = .running(session)
    } catch let error as InvalidField {
      throw Status(error)
    } catch let error as Status {
      throw error
    } catch {
      throw .engineFailed(error)
    }
  }

  /// Reads the next request, at once or when the client may continue.
  private func readOn() {
    guard case .running(let session) = state else { return }
    isHeldBack = false
    switch session.readiness() {
    case .now: call.read()
    case .later(let delay):
      resumption = call.schedule(after: delay) { [weak self] in self?.resume() }
    case .afterWrites: isHeldBack = true
    // The audio and gaps of a request may last many seconds. The client has to read some of the
    // output first.
    case .afterTurn where output.isHalfFull: isHeldBack = true
    case .afterTurn:
      resumption = call.whenIdle { [weak self] in self?.goOn() }
    }
  }

  private func goOn() {
    resumption = nil
    guard case .running(let session) = state else { return }
    session.goOn()
    readOn()
  }

  private func resume() {
    resumption = nil
    if case .running = state { call.read() }
  }

  /// Ends the call, because its client leaves more unread than the server keeps.
  private func overflowed() {
    close(.slowConsumer)
    call.abort(.slowConsumer(configuration.unreadLimit))
  }

  /// Sends the remaining responses and then the status. The session keeps its place in the
  /// directory until then, so that a server that stops waits for it.
  private func end(_ status: Status) {
    state = .over
    resumption?.cancel()
    output.finish(status) { [weak self] in self?.close() }
  }

  private func close(_ reason: SessionEvent.EndReason = .clientLost) {
    output.stop()
    session?.close(reason)
    session = nil
    state = .over
    resumption?.cancel()
  }
}
