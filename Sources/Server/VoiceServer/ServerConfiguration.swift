public import Authentication
public import GRPCTransport
public import Operations
internal import Synchronization
public import Tracing
public import VoiceEngines
public import VoiceSessions

/// The configuration of a server.
public struct ServerConfiguration: Sendable {
  /// The addresses to listen on: `HOST:PORT`, `[::1]:PORT` or `unix:PATH`.
  public var addresses: [String]
  /// The security of all addresses except unix sockets.
  public var security = ServerSecurity.plaintext
  /// The authentication of clients.
  public var authenticator: any Authenticator = NoAuthentication()
  /// The number of threads that serve calls. Each has its own completion queue.
  public var threads: Int
  /// The engines that process audio. A session uses the default engine unless its start names another.
  public var engines: EngineCatalog
  public var limits = AdmissionLimits()
  /// Whether the server describes its methods to clients, with grpc.reflection.
  public var servesReflection = true
  /// Whether speech may be injected into sessions that accept it. The switch can be changed while
  /// the server runs.
  public var injection = InjectionSwitch()
  /// The decisions about injection that are kept for later sessions. Nil keeps none. Decisions of
  /// clients that are not verified are never kept, because others could take their names.
  public var permissions: PermissionStore?
  /// The profiles for spatial audio that clients upload. By default, clients cannot upload any.
  public var profiles = ProfileStore()
  /// Whether sessions may be recorded.
  public var allowsRecording = false
  /// The times of automatic switching.
  public var routing = RoutingTimes()
  /// The metrics that the server counts.
  public var metrics = ServerMetrics()
  public var log = ServerLog.silent
  /// The tracer of calls and sessions, or nil. It reads the headers of a call, and as `correlation`
  /// the id of the call in the log.
  public var tracer: (any Tracer)?
  /// The time without a read after which a session in real time ends.
  public var slowConsumerTimeout = Duration.seconds(5)
  /// The time without a read after which a session under the media clock, or the call of a
  /// recorder, ends. It is longer, because nothing is dropped meanwhile.
  public var stalledConsumerTimeout = Duration.seconds(60)
  /// The time without a read after which the call of a watcher, and any other call, ends.
  public var slowWatcherTimeout = Duration.seconds(10)
  /// The maximum number and size of the responses of one session that its client has not read. One
  /// more response ends the session.
  public var unreadLimit = OutgoingMessages.Limit(messages: 8192, bytes: 16 << 20)

  /// The clock of the time limits of calls and sessions, or nil for that of the system.
  package var clock: (any CallClock)?

  public init(addresses: [String], threads: Int, engines: EngineCatalog) {
    self.engines = engines
    self.addresses = addresses
    self.threads = threads
  }
}

extension ServerConfiguration {
  /// The deadline for a client to send its first message.
  var startDeadline: CallDeadline {
    CallDeadline(limits.startDeadline, .startTimeout(limits.startDeadline))
  }

  /// Returns the deadline for the client of a session to read.
  func unreadDeadline(isRealTime: Bool) -> CallDeadline {
    let limit = isRealTime ? slowConsumerTimeout : stalledConsumerTimeout
    return CallDeadline(limit, .slowConsumer(limit))
  }

  /// The deadline for a watcher to read.
  var watcherDeadline: CallDeadline { CallDeadline(slowWatcherTimeout, .slowWatcher) }

  /// The deadline for a recorder to read, also after the session has ended.
  var recorderDeadline: CallDeadline { CallDeadline(stalledConsumerTimeout, .slowRecorder) }
}

/// The configuration of a running server, which may be replaced. A call keeps the configuration that
/// it started with.
final class LiveConfiguration: Sendable {
  private let configuration: Mutex<ServerConfiguration>

  init(_ configuration: ServerConfiguration) { self.configuration = Mutex(configuration) }

  var current: ServerConfiguration {
    get { configuration.withLock { $0 } }
    set { configuration.withLock { $0 = newValue } }
  }
}
