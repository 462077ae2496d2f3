internal import AnechoicAPI
internal import EdgeAudio
internal import Glibc
internal import SessionWire
internal import Synchronization
internal import VoiceSessions

/// The other programs of a desktop, whose streams are lowered as the session lowers other audio. On a
/// thread of its own. No audio thread waits for it.
final class OtherPrograms: ThreadOwner {
  struct Status: Sendable, Equatable {
    var isConnected = false
    var problem = ""
    var loweredCount = 0
    var gain: Float = 0
    /// Whether a program plays media: no notification, and no call.
    var plays = false
  }

  /// Names the feature in the log.
  private static let title = "other programs"
  /// The time between looks at the streams without any event.
  private static let interval = Duration.seconds(2)

  /// The longest waits for events: while streams are lowered, and otherwise.
  private static let (longestWait, restingWait) = (
    Duration.milliseconds(50), Duration.milliseconds(150)
  )

  let thread = LoopThread()
  private let servers: any StreamServers
  private let file: RememberedFile<LoweredStreams.Entry>
  private let applications: Set<String>
  private let recordersChanged: @Sendable ([String]) -> Void
  private let log: @Sendable (String) -> Void
  /// The bits of the gain in dB. NaN stands for no gain.
  private let wanted = Atomic(Float.nan.bitPattern)
  private let lastStatus = Mutex(Status())

  /// Creates the programs. `recordersChanged` is called with the names of the programs that record, of
  /// those in `applications` if there are any.
  init(
    _ servers: any StreamServers, file: RememberedFile<LoweredStreams.Entry>,
    applications: [String] = [],
    recordersChanged: @escaping @Sendable ([String]) -> Void = { _ in },
    log: @escaping @Sendable (String) -> Void
  ) {
    self.servers = servers
    self.file = file
    self.applications = Set(applications.map { $0.lowercased() })
    self.recordersChanged = recordersChanged
    self.log = log
  }

  var status: Status { lastStatus.withLock { $0 } }

  /// Sets the gain of other programs in dB. Nil restores them. Returns at once.
  func setGain(_ gain: Float?) {
    wanted.store((gain ?? .nan).bitPattern, ordering: .relaxed)
  }

  func start() {
    thread.start("other-programs") { [self] thread in
      var recorders: [String] = []
      var streams = LoweredStreams(ownProcess: getpid(), ended: file.readOrIgnore(Self.title, log))
      var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
      while !thread.isStopped {
        do throws(StreamServerError) {
          let server = try servers.connect()
          backoff.reset()
          log("other programs: the sound server answers")
          try tend(server, &streams, &recorders, thread)
        } catch {
          if status.problem != error.description {
            log("other programs: \(error); trying again")
          }
          lastStatus.withLock { $0 = Status(problem: error.description) }
          tell([], &recorders)
          thread.sleep(backoff.next())
        }
      }
    }
  }

  /// Lowers and restores streams until the thread is stopped. Then restores all.
  private func tend(
    _ server: any SoundServer, _ streams: inout LoweredStreams, _ recorders: inout [String],
    _ thread: LoopThread
  ) throws(StreamServerError) {
    var ramp = GainRamp()
    var hasNews = true
    var lastLook = ContinuousClock.now
    while !thread.isStopped {
      let bits = Float(bitPattern: wanted.load(ordering: .relaxed))
      ramp.start(to: bits.isNaN ? nil : bits)
      let isMoving = ramp.isMoving
      ramp.advance()
      if isMoving || hasNews || .now - lastLook > Self.interval {
        if !isMoving { tell(try recording(on: server), &recorders) }
        try apply(server, &streams, ramp)
        lastLook = .now
      }
      // Events of the server end the wait. Nothing needs a change soon while nothing is lowered.
      let rest = ramp.gain == nil ? Self.restingWait : Self.longestWait
      hasNews = try server.wait(ramp.isMoving ? GainRamp.step : rest)
      if ramp.isMoving { thread.sleep(GainRamp.step) }
    }
    try apply(server, &streams, GainRamp())
  }

  private func recording(on server: any SoundServer) throws(StreamServerError) -> [String] {
    let own = getpid()
    let names = try server.recorders().filter { recorder in
      recorder.process != own
        && (applications.isEmpty || applications.contains(recorder.application.lowercased()))
    }.map(\.application)
    return Set(names).sorted()
  }

  private func tell(_ now: [String], _ recorders: inout [String]) {
    guard now != recorders else { return }
    recorders = now
    recordersChanged(now)
  }

  private func apply(
    _ server: any SoundServer, _ streams: inout LoweredStreams, _ ramp: GainRamp
  ) throws(StreamServerError) {
    let before = streams.memory
    let present = try server.streams()
    let changes = streams.changes(
      present, gain: ramp.gain, target: ramp.isMoving ? ramp.target ?? 0 : nil)
    // A lowered stream is written down before it is lowered, and forgotten after it was restored.
    let grows = streams.memory.count >= before.count
    if grows, streams.memory != before { file.write(streams.memory, Self.title, log) }
    for change in changes { try server.setVolume(change.volume, of: change.index) }
    if !grows { file.write(streams.memory, Self.title, log) }
    lastStatus.withLock {
      $0 = Status(
        isConnected: true, loweredCount: streams.entries.count, gain: ramp.gain ?? 0,
        plays: present.contains(where: streams.isMedia))
    }
  }
}

extension EdgeVoice {
  /// Whether a session on the server or on this machine processes the voice, or this agent plays one.
  var hasSession: Bool {
    server.link != nil || playback != nil
      || configuration.session.join == nil && calls.rule.isOn && configuration.fallback != .silence
  }

  /// Lowers other programs as a session does in which neither side talks. Nil stands for the local
  /// session.
  func lowerOthersAtRest(_ settings: Anechoic_V1_SessionConfig?) {
    guard hasSession || settings != nil else { return parts.lower(nil) }
    let settings = settings ?? configuration.session.configuration
    let ducking = try? SessionConfiguration(settings, path: "config").ducking
    parts.lower(ducking?.restingGain)
  }
}
