internal import AnechoicAPI
internal import struct Foundation.Data
internal import GRPCTransport
internal import Identity
internal import SwiftProtobuf
internal import VoiceSessions

/// A `WatchSession` call. It sends a snapshot and then every event. It runs on the background lane,
/// whose thread processes no audio.
final class WatchCall: ServerCallHandler {
  private enum State {
    case awaitingRequest
    case watching(SessionHandle)
    case over
  }

  private let call: ServerCall
  private let directory: SessionDirectory
  private var state = State.awaitingRequest
  private var listener: UInt64?
  /// The serialized responses that precede the events: the snapshot, and a gap if there is one.
  private var first: [[UInt8]] = []
  private var nextEvent: UInt64 = 1
  private var statistics: [UInt8]?
  private var statisticsInterval: Duration?
  private var statisticsTimer: Timer?

  init(_ call: ServerCall, _ directory: SessionDirectory) {
    self.call = call
    self.directory = directory
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    guard case .awaitingRequest = state else {
      return end(Status(InvalidField("request", "must come only once")))
    }
    do throws(Status) {
      guard let request = try? Anechoic_V1_WatchSessionRequest(serializedBytes: Data(message))
      else { throw .notA("WatchSessionRequest") }
      try watch(request)
    } catch {
      return end(error)
    }
    call.read()
    writeNext()
  }

  func halfClosed() {
    if case .awaitingRequest = state { end(Status(InvalidField("name", "is required"))) }
  }

  func writeCompleted() { writeNext() }

  func cancelled() { stop() }

  func ended() { stop() }

  private func watch(_ request: Anechoic_V1_WatchSessionRequest) throws(Status) {
    let client = try Principal(call)
    let session = try directory.session(named: request.name, for: client)
    do {
      statisticsInterval = try request.statsInterval.asStatisticsInterval(path: "stats_interval")
    } catch {
      throw Status(error)
    }
    let now = session.feed.session
    nextEvent = now.lastEventID + 1
    if request.hasFromEventID {
      guard request.fromEventID > 0, request.fromEventID <= nextEvent else {
        throw Status(
          InvalidField("from_event_id", "must be within 1 to \(nextEvent), the next event"))
      }
      nextEvent = request.fromEventID
      if case .forgotten(let oldest) = session.feed.entry(nextEvent) {
        nextEvent = oldest
        prepend(.with { $0.gap.oldestEventID = oldest })
      }
    }
    prepend(.with { $0.snapshot = Anechoic_V1_Session(session, now, for: client.origin) })
    state = .watching(session)
    let waker = CallWaker(self, of: call) { $0.writeNext() }
    listener = session.feed.listen { waker.wake() }
    sendStatisticsLater()
  }

  private func prepend(_ response: Anechoic_V1_WatchSessionResponse) {
    first.append((try? response.serializedBytes()) ?? [])
  }

  /// Sends the next response, unless a write is in flight.
  private func writeNext() {
    guard !call.isWriting, case .watching(let session) = state else { return }
    if !first.isEmpty { return write(first.removeFirst()) }
    switch session.feed.entry(nextEvent) {
    case .event(let bytes):
      nextEvent += 1
      write(bytes)
    case .forgotten: end(.slowWatcher)
    case .end: end(.ok)
    case .notYet:
      if let statistics = statistics.take() { write(statistics) }
    }
  }

  private func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { try? call.write($0) }
  }

  private func sendStatisticsLater() {
    guard let statisticsInterval else { return }
    statisticsTimer = call.schedule(after: statisticsInterval) { [weak self] in
      self?.fetchStatistics()
    }
  }

  private func fetchStatistics() {
    guard case .watching(let session) = state else { return }
    let executor = call.executor
    let reference = ThreadBound(self)
    Task(executorPreference: BackgroundExecutor.shared) {
      guard let statistics = try? await session.statistics() else { return }
      let response = Anechoic_V1_WatchSessionResponse.with { $0.stats = statistics }
      guard let bytes: [UInt8] = try? response.serializedBytes() else { return }
      executor.perform { reference.value?.take(statistics: bytes) }
    }
    sendStatisticsLater()
  }

  private func take(statistics bytes: [UInt8]) {
    statistics = bytes
    writeNext()
  }

  private func end(_ status: Status) {
    stop()
    call.finish(status)
  }

  private func stop() {
    if case .watching(let session) = state, let listener {
      session.feed.stopListening(listener)
    }
    listener = nil
    state = .over
    statisticsTimer?.cancel()
  }
}
