internal import AnechoicAPI
internal import GRPCTransport

/// A running server of the voice-processing service.
public final class VoiceProcessingServer: Sendable {
  /// The addresses that the server listens on, with their actual ports.
  public var addresses: [String] { server.addresses }
  private let server: Server
  private let health: HealthService
  private let directory: SessionDirectory
  /// The time for the last answers, and for the rest of recordings, to leave after the sessions
  /// have ended.
  private static let farewell = Duration.seconds(1)

  /// Starts a server. Throws if a limit is out of its range or an address is not available.
  public init(_ configuration: ServerConfiguration) throws(ServerStartError) {
    let limits = configuration.limits
    do {
      try limits.check()
    } catch {
      throw ServerStartError(description: error.description)
    }
    let directory = SessionDirectory(
      maximum: limits.sessions, maximumPerHost: limits.sessionsPerClient)
    self.directory = directory
    health = HealthService(services: [RPC.voiceProcessing, RPC.sessions])
    var options = Server.Options(
      addresses: configuration.addresses, queueCount: configuration.threads)
    options.security = configuration.security
    options.connection.maximumReceivedMessageBytes = limits.messageBytes
    options.connection.keepaliveTime = .seconds(20)
    options.connection.keepaliveTimeout = .seconds(10)
    options.limits = ServerLimits(limits)
    var methods =
      [
        ServerMethod(Method(service: RPC.voiceProcessing, name: RPC.process)) {
          ProcessCall($0, configuration, directory)
        },
        .capabilities(configuration, directory),
      ]
      + SessionService(directory: directory, configuration: configuration).methods
      + health.methods
    if configuration.servesReflection { methods += ReflectionService(methods).methods }
    let deadlines = CallDeadlines(
      start: configuration.startDeadline, write: configuration.watcherDeadline)
    do {
      server = try Server(
        options: options, methods: methods.map { $0.with(deadlines).withUsualMessages })
    } catch {
      throw ServerStartError(description: error.description)
    }
  }

  /// Stops the server. New sessions are refused with UNAVAILABLE. Running sessions, and their
  /// recorders, have `grace` to end; then the server ends them. Returns at most two seconds after
  /// `grace`.
  public func stop(grace: Duration) async {
    health.stopServing()
    await directory.drain(grace: grace)
    await directory.endAll(atMost: Self.farewell)
    health.endWatches()
    await server.shutdown(grace: Self.farewell)
  }
}

extension ServerMethod {
  /// The method with the usual limit for the size of a message, unless it has its own limit or is
  /// the media stream.
  fileprivate var withUsualMessages: ServerMethod {
    lane == .main || largestMessage != nil
      ? self : with(largestMessage: RequestSize.largest)
  }
}

extension ServerLimits {
  fileprivate init(_ limits: AdmissionLimits) {
    self.init()
    callsPerConnection = limits.callsPerConnection
    callsWithoutMessage = limits.callsWithoutMessage
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
