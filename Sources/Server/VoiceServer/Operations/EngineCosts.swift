internal import AudioCore
internal import Synchronization
internal import VoiceEngines
internal import VoiceSessions

#if canImport(Glibc)
  internal import Glibc
#endif

/// The processor time that each engine needs for a frame on this machine, measured when first asked
/// for.
actor EngineCosts {
  private let engines: EngineCatalog
  private var measuring: Task<[String: [SampleRate: Duration]], Never>?
  /// The times as far as they are known. Nil until they are asked for.
  private let known = Mutex<[String: [SampleRate: Duration]]?>(nil)
  private let parts = KnownPartCosts()

  init(_ engines: EngineCatalog) { self.engines = engines }

  /// Returns the times by the engine's name and the processing rate. An engine that cannot be created
  /// has none.
  func all() async -> [String: [SampleRate: Duration]] {
    let task =
      measuring
      ?? Task.detached(priority: .background) { [engines] in
        Dictionary(
          uniqueKeysWithValues: engines.engines.map { engine in
            let times = engine.processingRates.map { ($0, Self.measure(engine, $0)) }
            return (
              engine.identity.name,
              Dictionary(uniqueKeysWithValues: times).compactMapValues { $0 }
            )
          })
      }
    measuring = task
    let times = await task.value
    known.withLock { $0 = times }
    return times
  }

  /// Returns the share of a thread's time that a session in real time is expected to need: for its
  /// engine, Opus and spatial audio. A part whose time is not known counts 0, and is measured.
  nonisolated func load(of setup: SessionSetup, _ engine: any VoiceEngine.Type) -> Double {
    let isFirst = known.withLock { known in
      defer { known = known ?? [:] }
      return known == nil
    }
    if isFirst { Task { await all() } }
    let (rate, channelCount) = VoiceSession.processing(of: setup, engine: engine)
    let time = known.withLock { $0?[engine.identity.name]?[rate] } ?? .zero
    let others = parts.time(of: setup)
    // Without the engine's time, the session counts as much as the others.
    return time > .zero ? (time * channelCount + others) / .milliseconds(10) : 0
  }

  /// Measures an engine with one microphone channel, a reference and the settings of the standard
  /// mic mode.
  private static func measure(_ type: any VoiceEngine.Type, _ rate: SampleRate) -> Duration? {
    let format = EngineFormat(
      rate: rate, channelCount: 1, reference: .init(rate: rate, channelCount: 1))
    guard let engine = try? type.init(format: format, settings: MicMode.standard.settings) else {
      return nil
    }
    let microphone = Frame(rate: rate, channelCount: 1)
    let output = Frame(rate: rate, channelCount: 1)
    var noise = SystemRandomNumberGenerator()
    let plane = microphone.plane(0)
    for index in plane.indices { plane[index] = .random(in: -0.1...0.1, using: &noise) }
    return ProcessorTime.leastPerFrame {
      _ = engine.process(
        microphone: microphone, reference: microphone, conditions: EchoConditions(), into: output)
    }
  }
}

/// Measurements of the processor time of this thread.
enum ProcessorTime {
  /// The frames of a turn. The fastest of some turns counts, because other load makes turns slower.
  private static let turn = 20
  private static let turns = 4

  /// Returns the time that `frame` takes.
  static func leastPerFrame(_ frame: () -> Void) -> Duration {
    var best = Duration.seconds(1)
    for _ in 0..<turns {
      let begin = now()
      for _ in 0..<turn { frame() }
      best = min(best, (now() - begin) / turn)
    }
    return best
  }

  private static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
