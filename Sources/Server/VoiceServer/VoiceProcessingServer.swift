internal import AnechoicAPI
internal import Authentication
public import GRPCTransport
public import Operations
internal import Synchronization
internal import VoiceEngines

/// A running server of the voice-processing service.
public final class VoiceProcessingServer: Sendable {
  /// The addresses that the server listens on, with their actual ports.
  public var addresses: [String] { server.addresses }
  let server: Server
  private let health: HealthService
  private let directory: SessionDirectory
  private let routing: RoutingService
  private let costs: EngineCosts
  private let loads: ThreadLoads
  private let live: LiveConfiguration
  private let servesReflection: Bool
  /// The session service for callers that do not use gRPC.
  public let sessions: SessionGateway
  /// Decides who may turn the switches of the HTTP listener.
  public let operatorGate: OperatorGate
  /// The listener for operators, which has health and reflection only.
  private let operators = Mutex<Server?>(nil)
  /// The time for the last answers, and for the rest of recordings, to leave after the sessions
  /// have ended.
  private static let farewell = Duration.seconds(2)

  /// Starts a server. Throws if a limit is out of its range, an engine cannot be prepared or an
  /// address is not available.
  public init(_ configuration: ServerConfiguration) throws(ServerStartError) {
    let limits = configuration.limits
    do {
      try limits.check()
    } catch {
      throw ServerStartError(description: error.description)
    }
    do {
      try configuration.engines.prepare()
    } catch {
      throw ServerStartError(description: error.description)
    }
    let directory = SessionDirectory(
      maximum: limits.sessions, maximumPerClient: limits.sessionsPerClient)
    self.directory = directory
    let loads = ThreadLoads(
      FrameBudget(share: limits.frameBudget), threads: configuration.threads,
      log: configuration.log)
    self.loads = loads
    let costs = EngineCosts(configuration.engines)
    self.costs = costs
    let live = LiveConfiguration(configuration)
    self.live = live
    servesReflection = configuration.servesReflection
    let services = [RPC.voiceProcessing, RPC.sessions, RPC.routing, RPC.profiles]
    let health = HealthService(
      services: services,
      isStarting: { [authenticator = configuration.authenticator] in !authenticator.isReady },
      isFull: { directory.isFull || loads.isFull })
    self.health = health
    configuration.metrics.addSessions(maximum: { directory.maximum }) { directory.count }
    let capacityUsed: @Sendable () -> Double = {
      max(loads.taken, Double(directory.count) / Double(directory.maximum))
    }
    configuration.metrics.addLoad(
      threads: max(1, configuration.threads), of: loads.figures, capacityUsed: capacityUsed,
      isReady: { health.readiness == .ready })
    let service = SessionService(
      directory: directory, live: live, capacityUsed: capacityUsed)
    routing = RoutingService(live: live)
    let interceptor = AccessInterceptor(
      authenticator: configuration.authenticator, log: configuration.log)
    sessions = SessionGateway(service, interceptor)
    operatorGate = OperatorGate(
      authenticator: configuration.authenticator, log: configuration.log)
    var options = Server.Options(
      addresses: configuration.addresses, queueCount: configuration.threads)
    options.security = configuration.security
    options.connection.maximumReceivedMessageBytes = limits.messageBytes
    options.connection.keepaliveTime = .seconds(20)
    options.connection.keepaliveTimeout = .seconds(10)
    options.limits = ServerLimits(limits)
    options.clock = configuration.clock
    var methods =
      [
        ServerMethod(Method(service: RPC.voiceProcessing, name: RPC.process)) {
          ProcessCall($0, live.current, directory, loads, costs)
        },
        ServerMethod(Method(service: RPC.voiceProcessing, name: RPC.joinSession)) {
          JoinCall($0, live.current, directory)
        }.with(largestMessage: RequestSize.largest),
        .capabilities(live, directory, costs),
      ]
      + service.methods + routing.methods
      + ProfileService(store: configuration.profiles, log: configuration.log).methods
    let spans = configuration.tracer.map { CallSpans(tracer: $0) }
    methods = methods.map { $0.admitted(by: interceptor).traced(by: spans) } + health.methods
    if configuration.servesReflection { methods += ReflectionService(methods).methods }
    configuration.injection.onChange { [injection = configuration.injection] in
      directory.allowInjection(injection.isOn)
    }
    let deadlines = CallDeadlines(
      start: configuration.startDeadline, write: configuration.watcherDeadline)
    do {
      server = try Server(
        options: options,
        methods: methods.map {
          $0.with(deadlines).withUsualMessages.observed(by: configuration.metrics.registry)
        })
    } catch {
      throw ServerStartError(description: error.description)
    }
  }

  /// Whether the server takes new sessions. A server that is late counts as full.
  public var readiness: Readiness { health.readiness }

  /// Returns the load of a thread by its number, from 0.
  public func figures(ofThread number: Int) -> ThreadFigures { loads.figures(ofThread: number) }

  /// Measures the engines, so that the first sessions count with their time. Otherwise the first session
  /// starts this. Takes some tenths of a second of another thread.
  public func measureEngines() async { _ = await costs.all() }

  /// Starts a plaintext listener for operators, with health and reflection only. Returns its address
  /// with its actual port. Call this once.
  public func listenForOperators(at address: String) throws(ServerStartError) -> String {
    var methods = health.methods
    if servesReflection { methods += ReflectionService(methods).methods }
    let configuration = live.current
    let deadlines = CallDeadlines(
      start: configuration.startDeadline, write: configuration.watcherDeadline)
    var options = Server.Options(addresses: [address])
    options.isSpare = true
    options.limits = ServerLimits(configuration.limits)
    do {
      let server = try Server(
        options: options, methods: methods.map { $0.with(deadlines).withUsualMessages })
      operators.withLock { $0 = server }
      return server.addresses[0]
    } catch {
      throw ServerStartError(description: error.description)
    }
  }

  /// Applies the parts of a configuration that a running server can change: the limits of sessions,
  /// the engines, injection, recording and certificates. Running calls keep their limits.
  public func apply(_ configuration: ServerConfiguration) {
    live.current = configuration
    directory.limit(
      to: configuration.limits.sessions, perClient: configuration.limits.sessionsPerClient)
    server.replaceCertificates(configuration.security)
  }

  /// Stops the server, in this order: Every health check says NOT_SERVING. New sessions are refused
  /// with UNAVAILABLE. Running sessions, their watchers and their recorders are told that the end
  /// comes in `grace`. After that time the server processes what it has received from the sessions
  /// that still run, and ends them. Returns at most four seconds after `grace`.
  public func stop(grace: Duration) async {
    health.stopServing()
    await directory.drain(grace: grace)
    await directory.endAll(atMost: Self.farewell)
    routing.drain()
    health.endWatches()
    await server.shutdown(grace: Self.farewell)
    await operators.withLock { $0.take() }?.shutdown(grace: .zero)
  }

  /// Returns when each thread that serves calls has run some work, and never if one is stuck: see
  /// `Server.callThreadsAnswer`.
  public func callThreadsAnswer() async { await server.callThreadsAnswer() }

  /// Ends the grace of `stop` now, also if `stop` has not been called yet.
  public func hurry() { directory.hurry() }
}

extension ServerMethod {
  /// The method with the usual limit for the size of a message, unless it has its own limit or is
  /// the media stream.
  fileprivate var withUsualMessages: ServerMethod {
    lane == .main || largestMessage != nil
      ? self : with(largestMessage: RequestSize.largest)
  }
}

extension ServerMethod {
  /// The method with a count of its calls, and with an id for each call in the log.
  fileprivate func observed(by registry: MetricsRegistry) -> ServerMethod {
    with(
      CallMetrics(
        registry, type: shape.rawValue, service: method.service, method: method.name)
    ).with(correlationHeader: RPC.correlation)
  }
}

extension ServerLimits {
  fileprivate init(_ limits: AdmissionLimits) {
    self.init()
    callsPerConnection = limits.callsPerConnection
    callsWithoutMessage = limits.callsWithoutMessage
    handshakeTimeout = limits.handshakeTimeout
    memoryBytes = limits.memoryBytes > 0 ? limits.memoryBytes : nil
    if limits.connectionAge > .zero {
      connectionAge = limits.connectionAge
      connectionAgeGrace = limits.connectionAgeGrace
    }
  }
}

/// The reason why a server did not start.
public struct ServerStartError: Error, CustomStringConvertible {
  public let description: String
}

extension CallMetrics: CallObserver {
  public func handled(_ code: StatusCode, after time: Duration) {
    handled(code: Int(code.rawValue), after: time)
  }
}
