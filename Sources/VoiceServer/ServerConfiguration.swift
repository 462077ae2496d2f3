public import GRPCTransport
public import VoiceEngines

/// What a server is started with.
public struct ServerConfiguration: Sendable {
  /// `HOST:PORT`, `[::1]:PORT` or `unix:PATH`.
  public var addresses: [String]
  /// Of all addresses but the unix sockets.
  public var security = ServerSecurity.plaintext
  /// Threads that calls run on, each with a completion queue of its own.
  public var threads: Int
  /// The engine that processes the audio of every session.
  public var engine: any VoiceEngine.Type
  public var limits = AdmissionLimits()
  /// Whether the server describes its methods to clients by grpc.reflection.
  public var servesReflection = true
  /// Whether speech may be injected into sessions that want it.
  public var allowsInjection = true
  /// Whether sessions may be recorded.
  public var allowsRecording = false
  /// In real time, a session whose client has not read for so long is ended.
  public var slowConsumerTimeout = Duration.seconds(5)
  /// The same under the media clock, where nothing is lost meanwhile, and for recorders.
  public var stalledConsumerTimeout = Duration.seconds(60)
  /// The same for watchers and for the clients of all other calls.
  public var slowWatcherTimeout = Duration.seconds(10)
  /// The responses of one session that may wait for its client to read. A client that leaves more
  /// unread is ended.
  public var unreadLimit = OutgoingMessages.Limit(messages: 8192, bytes: 16 << 20)

  public init(addresses: [String], threads: Int, engine: any VoiceEngine.Type) {
    self.engine = engine
    self.addresses = addresses
    self.threads = threads
  }
}
