/// The metrics of a server that its audio threads count, ready to use without the registry.
public final class ServerMetrics: Sendable {
  public let registry: MetricsRegistry
  public let framesProcessed: AtomicCounter
  /// In nanoseconds.
  public let frameProcessing: AtomicHistogram
  /// In nanoseconds.
  public let frameLateness: AtomicHistogram
  public let referenceMissing: AtomicCounter
  public let samplesConcealed: AtomicCounter
  public let outputChunksDropped: AtomicCounter
  /// In hundredths of a dB.
  public let echoReduction: AtomicHistogram
  /// In nanoseconds.
  public let echoDelay: AtomicHistogram
  /// In hundredths of a part per million.
  public let drift: AtomicHistogram

  private let voiceTransitions: [AtomicCounter]
  private let muteGestures: [AtomicCounter]

  /// The outcomes of a mute gesture.
  public enum GestureOutcome: String, Sendable, CaseIterable {
    case applied, rejected
    case timedOut = "timed_out"
    case ignored
  }

  public init(_ registry: MetricsRegistry = MetricsRegistry()) {
    self.registry = registry
    framesProcessed = registry.counter(.framesProcessed)
    frameProcessing = registry.histogram(.frameProcessing, step: 1e-9)
    frameLateness = registry.histogram(.frameLateness, step: 1e-9)
    referenceMissing = registry.counter(.referenceMissing)
    samplesConcealed = registry.counter(.samplesConcealed)
    outputChunksDropped = registry.counter(.outputChunksDropped)
    echoReduction = registry.histogram(.echoReduction, step: 0.01)
    echoDelay = registry.histogram(.echoDelay, step: 1e-9)
    drift = registry.histogram(.drift, step: 0.01)
    voiceTransitions = ["near_end", "far_end"].flatMap { side in
      ["false", "true"].map { registry.counter(.voiceTransitions, side, $0) }
    }
    muteGestures = GestureOutcome.allCases.map { registry.counter(.muteGestures, $0.rawValue) }
    let factor = RealtimeFactor(frameProcessing)
    registry.reading(.realtimeFactor) { factor.value(at: .now) }
  }

  /// Counts a start or an end of speech.
  public func recordVoiceTransition(isFarEnd: Bool, isMuted: Bool) {
    voiceTransitions[(isFarEnd ? 2 : 0) + (isMuted ? 1 : 0)].add()
  }

  public func record(_ outcome: GestureOutcome) {
    guard let index = GestureOutcome.allCases.firstIndex(of: outcome) else { return }
    muteGestures[index].add()
  }

  public func sessionStarted(engine: String) { registry.counter(.sessionsStarted, engine).add() }

  public func sessionEnded(reason: String) { registry.counter(.sessionsEnded, reason).add() }

  /// `reason` is the reason of the status, or empty.
  public func sessionRefused(reason: String) {
    registry.counter(.sessionsRefused, reason.isEmpty ? "other" : reason).add()
  }

  /// Adds the number of sessions and its maximum, which are read for each exposition.
  public func addSessions(
    maximum: @escaping @Sendable () -> Int, count: @escaping @Sendable () -> Int
  ) {
    registry.reading(.sessions) { Double(count()) }
    registry.reading(.sessionCapacity) { Double(maximum()) }
  }

  /// Adds the load of the threads and of the server, which is read for each exposition.
  ///
  /// - Parameters:
  ///   - figures: Returns the figures of a thread by its number, from 0.
  ///   - capacityUsed: The part of what the server can take that is taken: 1 if it is full.
  ///   - isReady: Whether the server takes new sessions.
  public func addLoad(
    threads: Int, of figures: @escaping @Sendable (Int) -> ThreadFigures,
    capacityUsed: @escaping @Sendable () -> Double, isReady: @escaping @Sendable () -> Bool
  ) {
    registry.reading(.capacityUsed, read: capacityUsed)
    registry.reading(.ready) { isReady() ? 1 : 0 }
    for number in 0..<threads {
      registry.reading(.threadLoad, "\(number)") { figures(number).load }
      registry.reading(.threadAdmitted, "\(number)") { figures(number).admitted }
      registry.reading(.threadLateness, "\(number)") { figures(number).lateness }
    }
    registry.reading(.threadsOverloaded) {
      Double((0..<threads).count { figures($0).isOverloaded })
    }
    registry.reading(.sessionsReduced) {
      Double((0..<threads).reduce(0) { $0 + figures($1).reducedSessions })
    }
  }
}
