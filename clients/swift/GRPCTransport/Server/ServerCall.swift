/// A call, as its handler sees it. For use on the call's own thread only.
///
/// A call ends once: by `finish`, `abort`, a deadline or its client. Afterwards reads, writes,
/// `finish` and `abort` do nothing.
public final class ServerCall {
  public let method: Method
  /// The executor with which other threads run work on the call's thread.
  public let executor: CallExecutor
  /// The value that the method's interceptor attached. Nil without an interceptor.
  public private(set) var attachment: (any Sendable)?
  /// The call's thread, for work that outlives the call.
  public let thread: CallThread
  private let transport: any ServerCallTransport
  private let queue: OpaquePointer
  /// The id of the call in the server's log. Empty if the method has no `correlationHeader`.
  public private(set) var correlation = ""
  private let largestMessage: Int
  private var account: CallAccount
  private var machine: ServerCallMachine
  private var handler: (any ServerCallHandler)?
  private var place: OpenCalls.Place?
  private var timers: (deadline: Timer?, expiry: Timer?) = (nil, nil)

  /// Creates a call that lives on a queue.
  init(
    _ transport: some ServerCallTransport, on queue: OpaquePointer, _ method: ServerMethod,
    _ threads: CallThreads
  ) {
    self.transport = transport
    self.queue = queue
    self.method = method.method
    largestMessage = method.largestMessage ?? .max
    executor = CallExecutor(queue: queue)
    thread = threads.thread(of: queue)
    let now = thread.now
    account = CallAccount(method.observer, now: now)
    machine = ServerCallMachine(deadlines: method.deadlines, now: now)
  }

  /// The maximum size of the headers of a call in bytes. It leaves room for a token of 8 KiB.
  private static let largestHeaders = 16 << 10

  /// Starts the handler, which lives until the call has ended. Refuses the call if its connection
  /// has too many open calls, if its headers are too large, or if the interceptor of the method
  /// refuses it.
  func start(_ method: ServerMethod, among openCalls: OpenCalls) {
    account.observer?.started()
    if let header = method.correlationHeader {
      correlation = CorrelationID.of(metadata)
      addInitialMetadata(header, correlation)
    }
    account.trace = method.tracer?.trace(of: self)
    place = openCalls.enter(self)
    guard place != nil else { return finish(openCalls.refusal) }
    guard metadata.size <= Self.largestHeaders else {
      let limit =
        "the headers of the call have \(metadata.size) bytes; \(Self.largestHeaders) are allowed"
      return finish(Status(.resourceExhausted, limit))
    }
    switch method.interceptor?.admission(of: self) {
    case nil: handler = method.start(self)
    case .decided(let decision): follow(decision, method)
    case .pending(let decide):
      let (executor, reference) = (executor, CallReference(call: self))
      Task(executorPreference: BackgroundExecutor.shared) {
        let decision = await decide()
        executor.perform { reference.call.follow(decision, method) }
      }
    }
    startTimer(now: thread.now)
  }

  private func follow(_ decision: Admission.Decision, _ method: ServerMethod) {
    // The client may have gone, or the start deadline may have passed, before a pending decision.
    guard machine.isOpen else { return }
    switch decision {
    case .refused(let status): finish(status)
    case .admitted(let value, let expiry):
      attachment = value
      timers.expiry = expiry.flatMap { expiry in
        schedule(after: expiry.after) { [weak self] in self?.finish(expiry.status) }
      }
      handler = method.start(self)
      startTimer(now: thread.now)
    }
  }

  /// Asks for the next message, unless a read is in flight. Unread messages hold the sender back.
  /// Runs per frame.
  public func read() {
    guard case .read = machine.read() else { return }
    let isAccepted = transport.read()
    assert(isAccepted, "the transport refused a read that the machine allowed")
  }

  /// Sends a copy of a message. Throws `secondWriter` until the previous write has completed. Runs
  /// per frame.
  public func write(_ message: UnsafeRawBufferPointer) throws(CallMisuseError) {
    let now = thread.now
    switch machine.write(now: now) {
    case .write:
      let isAccepted = transport.write(message)
      assert(isAccepted, "the transport refused a write that the machine allowed")
      account.observer?.sent()
      startTimer(now: now)
    case .refuse(let misuse): throw misuse
    default: break
    }
  }

  /// The trace of the call. Nil unless the method has a tracer that records this call.
  public var trace: (any CallTrace)? { account.trace }

  /// Whether a write is in flight.
  public var isWriting: Bool { machine.isWriting }

  /// Ends the call with a status, once the write in flight has left. Only the first end counts.
  public func finish(_ status: Status, trailers: Metadata = Metadata()) {
    let now = thread.now
    perform(machine.finish(status, trailers, now: now))
    startTimer(now: now)
  }

  /// Ends the call at once, for a client that does not read. The details of the status and the
  /// messages that have not left yet are dropped. `cancelled()` follows.
  public func abort(_ status: Status) {
    perform(machine.abort(status))
  }

  /// The time limit for a client to read. See `CallDeadlines.write`.
  public var writeDeadline: CallDeadline? {
    get { machine.deadlines.write }
    set {
      machine.deadlines.write = newValue
      startTimer(now: thread.now)
    }
  }

  /// Adds a header that is sent before the first message.
  public func addInitialMetadata(_ key: String, _ value: String) {
    guard !machine.hasEnded else { return }
    var metadata = Metadata()
    metadata.append(key, value)
    transport.addInitialMetadata(metadata)
  }

  /// The headers that the client sent. Empty once the call has ended.
  public var metadata: Metadata { machine.hasEnded ? Metadata() : transport.metadata }

  /// The client's address, such as `ipv4:127.0.0.1:40112`. Empty once the call has ended.
  public var peer: String { machine.hasEnded ? "" : transport.peer }

  /// The properties that the transport has verified about the client, such as `x509_common_name`. A
  /// property may occur more than once. Empty unless the client has shown a certificate of a trusted
  /// authority, and once the call has ended.
  public var peerProperties: [PeerProperty] {
    machine.hasEnded ? [] : transport.peerProperties
  }

  /// The time left until the client's deadline. Nil if the client set no deadline, or the call has
  /// ended.
  public var timeLeft: Duration? { machine.hasEnded ? nil : transport.timeLeft }

  /// Runs `work` on this thread after a delay, unless the call has ended by then. Returns nil, and
  /// never runs `work`, if the call has ended or the server is stopping.
  public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> Timer? {
    guard !machine.hasEnded else { return nil }
    guard let clock = thread.clock, delay > .zero else {
      return Timer(on: queue, after: delay, whileOpen(work))
    }
    return Timer(by: clock, after: delay, work) { [executor] in executor.perform($0) }
  }

  /// Runs `work` on this thread when no call of the thread has an event, unless the call has ended
  /// by then. Long work that is divided into such turns does not delay other calls. The turns of
  /// several calls alternate. A thread that is never idle runs one turn after every 64 events.
  /// Returns nil, and never runs `work`, if the call has ended.
  public func whenIdle(_ work: @escaping () -> Void) -> Timer? {
    guard !machine.hasEnded else { return nil }
    return Timer(whenIdle: queue, whileOpen(work))
  }

  private func whileOpen(_ work: @escaping () -> Void) -> () -> Void {
    { [executor] in
      if executor.isOpen { work() }
    }
  }
}

// MARK: Reports of the transport

extension ServerCall {
  func received(_ message: UnsafeRawBufferPointer) {
    place?.hasMessage()
    guard case .deliver = machine.received() else { return }
    account.observer?.received()
    guard message.count <= largestMessage else {
      return finish(
        Status(
          .resourceExhausted,
          "a message of \(method) has \(message.count) bytes; at most \(largestMessage) are allowed"
        ))
    }
    handler?.received(message)
  }

  /// Ends the call, because its client broke a rule of the protocol.
  func fail(_ status: Status) {
    let isHandled = machine.isOpen && handler?.failed(status) == true
    if !isHandled { finish(status) }
  }

  func halfClosed() {
    place?.hasMessage()
    guard case .deliver = machine.halfClosed() else { return }
    handler?.halfClosed()
  }

  func writeCompleted() {
    let now = thread.now
    let action = machine.writeCompleted(now: now)
    if case .deliver = action { handler?.writeCompleted() } else { perform(action) }
    startTimer(now: now)
  }

  func cancelled() {
    guard case .deliver = machine.cancelled() else { return }
    if account.outcome == nil { account.outcome = .cancelled }
    handler?.cancelled()
  }

  func ended() {
    guard case .deliver = machine.ended() else { return }
    account.close(now: thread.now)
    executor.close()
    timers.deadline?.cancel()
    timers.expiry?.cancel()
    timers = (nil, nil)
    let handler = handler.take()
    handler?.ended()
    place?.leave()
  }
}

// MARK: Actions

extension ServerCall {
  private func perform(_ action: ServerCallMachine.Action) {
    switch action {
    case .finish(let status, let trailers):
      account.outcome = status.code
      let isAccepted = transport.finish(status, trailers)
      assert(isAccepted, "the transport refused a status that the machine allowed")
    case .abort(let status):
      account.outcome = status.code
      transport.abort(status)
    case .abortStalled(let status):
      account.outcome = status.code
      handler?.stalled()
      transport.abort(status)
    case .ignore, .refuse, .read, .write, .deliver: break
    }
  }

  private func startTimer(now: ContinuousClock.Instant) {
    guard let delay = machine.timerToStart(now: now) else { return }
    timers.deadline?.cancel()
    timers.deadline = schedule(after: delay) { [weak self] in self?.timerFired() }
  }

  private func timerFired() {
    let now = thread.now
    perform(machine.timerFired(now: now))
    startTimer(now: now)
  }
}

/// A property of a client that the transport has verified.
public struct PeerProperty: Sendable, Equatable {
  /// The name that libgrpc gives the property, such as `x509_subject_alternative_name`.
  public let name: String
  public let value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// A reference to a call that other threads pass back to the call's own thread.
struct CallReference: @unchecked Sendable {
  let call: ServerCall
}
