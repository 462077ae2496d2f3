internal import Dispatch
internal import Foundation
public import Operations
internal import Synchronization

/// A thread that sends spans to a collector in batches, behind a bounded queue.
///
/// `export` never waits. A batch goes when it is full, or when its first span is `longestWait` old.
/// While the collector does not answer, the thread tries again with growing pauses; spans that find
/// the queue full, and those that the collector refuses, are dropped and counted.
public final class SpanExporter: Sendable {
  /// The maximum number of spans that wait.
  public static let mostWaiting = 2048
  /// The maximum number of spans in a batch.
  public static let largestBatch = 512
  /// The time after which a batch goes although it is not full.
  public static let longestWait = Duration.seconds(5)
  private static let pauses = Duration.seconds(1) ... .seconds(60)

  /// The spans since the start.
  public struct Counts: Sendable {
    let exported: AtomicCounter
    let dropped: [DropReason: AtomicCounter]

    public init(_ registry: MetricsRegistry) {
      exported = registry.counter(.spansExported)
      dropped = Dictionary(
        uniqueKeysWithValues: DropReason.allCases.map {
          ($0, registry.counter(.spansDropped, $0.rawValue))
        })
    }
  }

  /// The reasons why a span does not reach the collector.
  enum DropReason: String, CaseIterable {
    case queueFull = "queue_full"
    case refused
    case shutdown
  }

  fileprivate struct State {
    var waiting: [FinishedSpan] = []
    /// The number of spans that the thread is sending.
    var inFlight = 0
    var oldest = ContinuousClock.now
    /// Whether all waiting spans go at once.
    var isFlushing = false
    /// The time until which the thread may send the rest. Nil while the exporter runs.
    var end: ContinuousClock.Instant?
    var hasEnded = false
  }

  private let collector: OTLPCollector
  private let service: SpanDocument.Service
  private let counts: Counts
  private let report: @Sendable (Report) -> Void
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// A change that operators are told.
  public enum Report: Sendable {
    /// The collector takes no spans, for this reason. Told once until it takes spans again.
    case failing(String)
    case working
  }

  /// Starts the thread. `report` runs on it.
  public init(
    _ collector: OTLPCollector, service: SpanDocument.Service, counts: Counts,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.collector = collector
    self.service = service
    self.counts = counts
    self.report = report
    let thread = Thread { [self] in run() }
    thread.name = "spans"
    thread.start()
  }

  /// Adds a span to the queue. Does not wait.
  func export(_ span: FinishedSpan) {
    let verdict = state.withLock { state -> (drop: DropReason?, isDue: Bool) in
      guard state.end == nil else { return (.shutdown, false) }
      guard state.waiting.count < Self.mostWaiting else { return (.queueFull, false) }
      if state.waiting.isEmpty { state.oldest = .now }
      state.waiting.append(span)
      return (nil, [1, Self.largestBatch].contains(state.waiting.count))
    }
    if let reason = verdict.drop { counts.dropped[reason]?.add() }
    if verdict.isDue { wake.signal() }
  }

  /// Returns when the spans that wait have been sent or dropped, or after `limit`.
  public func flush(atMost limit: Duration) {
    state.withLock { $0.isFlushing = true }
    wake.signal()
    wait(until: .now + limit) { $0.waiting.isEmpty && $0.inFlight == 0 }
  }

  /// Sends the spans that wait, and ends the thread. Returns after `limit` at the latest. Spans
  /// that were not sent by then are dropped.
  public func stop(atMost limit: Duration) {
    let end = ContinuousClock.now + limit
    state.withLock { $0.end = end }
    wake.signal()
    wait(until: end) { $0.hasEnded }
    let left = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting.count
    }
    if left > 0 { counts.dropped[.shutdown]?.add(UInt64(left)) }
  }

  private func wait(until deadline: ContinuousClock.Instant, _ isDone: (State) -> Bool) {
    while !state.withLock({ isDone($0) }), .now < deadline { usleep(2000) }
  }

  // MARK: The thread

  private func run() {
    var attempts = Attempts(pauses: Self.pauses)
    while let batch = nextBatch() {
      send(batch, &attempts)
      state.withLock { state in
        state.inFlight = 0
        if state.waiting.isEmpty { state.isFlushing = false }
      }
    }
    state.withLock { $0.hasEnded = true }
  }

  /// Waits for a batch, and takes it out of the queue. Returns nil at the end.
  private func nextBatch() -> [FinishedSpan]? {
    while true {
      let (batch, wait, isOver) = state.withLock { $0.take() }
      if let batch { return batch }
      if isOver { return nil }
      _ = wake.wait(timeout: .now() + wait.seconds)
    }
  }

  /// Sends a batch until the collector has taken or refused it, or the exporter ends.
  private func send(_ batch: [FinishedSpan], _ attempts: inout Attempts) {
    let document = SpanDocument(batch, of: service).json
    while true {
      let outcome = collector.send(document) { self.isOver }
      switch outcome {
      case .taken:
        counts.exported.add(UInt64(batch.count))
        if attempts.succeeded() { report(.working) }
        return
      case .refused(let problem):
        counts.dropped[.refused]?.add(UInt64(batch.count))
        if attempts.failed() { report(.failing(problem)) }
        return
      case .unavailable(let problem):
        if attempts.failed() { report(.failing(problem)) }
        guard pause(attempts.pause) else {
          counts.dropped[.shutdown]?.add(UInt64(batch.count))
          return
        }
      }
    }
  }

  /// Waits before the next attempt. Returns false if the exporter ends: its collector gets no
  /// second chance.
  private func pause(_ duration: Duration) -> Bool {
    let end = ContinuousClock.now + duration
    while .now < end {
      guard state.withLock({ $0.end }) == nil else { return false }
      _ = wake.wait(timeout: .now() + min((end - .now).seconds, 0.2))
    }
    return true
  }

  private var isOver: Bool { state.withLock { $0.end }.map { .now >= $0 } ?? false }
}

extension SpanExporter.State {
  /// Takes the batch that is due. Otherwise returns the time to wait, and whether the exporter has
  /// ended.
  fileprivate mutating func take() -> (batch: [FinishedSpan]?, wait: Duration, isOver: Bool) {
    let age = ContinuousClock.now - oldest
    let isDue =
      waiting.count >= SpanExporter.largestBatch || age >= SpanExporter.longestWait
      || isFlushing || end != nil
    guard !waiting.isEmpty, isDue else {
      if waiting.isEmpty { isFlushing = false }
      let wait = waiting.isEmpty ? Duration.seconds(3600) : SpanExporter.longestWait - age
      return (nil, wait, waiting.isEmpty && end != nil)
    }
    let batch = Array(waiting.prefix(SpanExporter.largestBatch))
    waiting.removeFirst(batch.count)
    oldest = .now
    inFlight = batch.count
    return (batch, .zero, false)
  }
}

/// The attempts to reach the collector.
struct Attempts {
  /// The shortest and the longest pause after a failure.
  let pauses: ClosedRange<Duration>
  private var failures = 0

  init(pauses: ClosedRange<Duration>) { self.pauses = pauses }

  /// Returns whether this is the first failure after a success.
  mutating func failed() -> Bool {
    failures += 1
    return failures == 1
  }

  /// Returns whether the attempt before this one failed.
  mutating func succeeded() -> Bool {
    defer { failures = 0 }
    return failures > 0
  }

  /// The pause before the next attempt. It doubles with each failure.
  var pause: Duration {
    min(pauses.upperBound, pauses.lowerBound * (1 << min(max(failures - 1, 0), 16)))
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
