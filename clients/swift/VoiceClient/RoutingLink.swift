public import AnechoicAPI
public import GRPCTransport
internal import Synchronization

/// A machine that stays registered with the arbiter: after each loss of the connection it registers again.
public final class RoutingLink: Sendable {
  /// News from the arbiter, or about the connection.
  public enum Event: Sendable {
    /// The arbiter has registered the machine. Its decisions follow.
    case connected
    /// The arbiter cannot be reached, or refuses the machine. The link tries again.
    case away(Status)
    /// The holder of a headset, now or after a change.
    case decision(Anechoic_V1_RoutingDecision)
    /// A machine has joined a call: pause what plays.
    case mediaPauseRequested(Anechoic_V1_MediaPauseRequested)
    /// The calls have ended: resume what was paused for them.
    case mediaResumeRequested
  }

  private struct State {
    var activity = Anechoic_V1_MachineActivity()
    var signal: AsyncStream<Void>.Continuation?
  }

  private static let answerTimeout = Duration.seconds(5)
  /// The time for the server to note that the machine leaves.
  private static let farewell = Duration.seconds(1)

  private let client: RoutingClient
  private let registration: @Sendable () -> Anechoic_V1_RegisterMachine
  private let happened: @Sendable (Event) async -> Void
  private let state = Mutex(State())

  /// Creates a link.
  ///
  /// - Parameters:
  ///   - client: A client of the server.
  ///   - registration: Returns the registration of each new connection.
  ///   - happened: Called with each event, one after another.
  public init(
    _ client: RoutingClient,
    registration: @escaping @Sendable () -> Anechoic_V1_RegisterMachine,
    happened: @escaping @Sendable (Event) async -> Void
  ) {
    self.client = client
    self.registration = registration
    self.happened = happened
  }

  /// Reports the activity of the machine, now or as soon as the arbiter answers. Only the newest is sent.
  public func report(_ activity: Anechoic_V1_MachineActivity) {
    let signal = state.withLock { state -> AsyncStream<Void>.Continuation? in
      guard state.activity != activity else { return nil }
      state.activity = activity
      return state.signal
    }
    signal?.yield()
  }

  /// Runs until the task is cancelled. The machine then leaves its group.
  public func run() async {
    var attempts = Attempts()
    while !Task.isCancelled {
      var failure: (any Error)?
      var registered: ContinuousClock.Instant?
      do {
        let stream = try await connect()
        registered = .now
        await happened(.connected)
        try await follow(stream)
        guard !Task.isCancelled else { return }
        await happened(.away(Status(.unavailable, "the arbiter ended the call")))
      } catch {
        guard !Task.isCancelled else { return }
        failure = error
        await happened(.away(error as? Status ?? Status(.internal, "the answer is not valid")))
      }
      if let registered { attempts.sessionEnded(since: registered) }
      try? await Task.sleep(for: attempts.next(after: failure))
    }
  }

  /// Registers the machine on a new connection, because the old one may have failed silently.
  private func connect() async throws -> RoutingStream {
    let (client, registration) = (client.reconnected(), registration())
    return try await answer(of: "arbiter", within: Self.answerTimeout) {
      try await client.register(registration)
    }
  }

  private func follow(_ stream: RoutingStream) async throws {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.signal = signal }
    defer { state.withLock { $0.signal = nil } }
    signal.yield()
    // Not a child task, so that a link that is cancelled can still leave its group.
    let receiving = Task {
      defer { signal.finish() }
      while let response = try await stream.receive() { await accept(response) }
    }
    for await _ in signals {
      // If a send fails, the receiving side reports the error.
      try? await stream.send(state.withLock(\.activity))
    }
    guard Task.isCancelled else { return try await receiving.value }
    stream.leave()
    let limit = Task {
      try await Task.sleep(for: Self.farewell)
      stream.cancel()
    }
    _ = await receiving.result
    limit.cancel()
  }

  private func accept(_ response: Anechoic_V1_ArbitrateResponse) async {
    switch response.response {
    case .decision(let decision): await happened(.decision(decision))
    case .mediaPauseRequested(let request): await happened(.mediaPauseRequested(request))
    case .mediaResumeRequested: await happened(.mediaResumeRequested)
    case .registered, nil: break
    }
  }
}
