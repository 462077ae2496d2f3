internal import AnechoicAPI
internal import Authentication
internal import struct Foundation.Data
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceSessions

/// A `WatchSession` call. It sends a snapshot and then every event. It runs on the background lane,
/// whose thread processes no audio.
final class WatchCall: ServerCallHandler {
  private enum State {
    case awaitingRequest
    case watching(SessionWatch)
    case over
  }

  private let call: ServerCall
  private let directory: SessionDirectory
  private var state = State.awaitingRequest
  private var listener: UInt64?
  private var statisticsTimer: Timer?

  init(_ call: ServerCall, _ directory: SessionDirectory) {
    self.call = call
    self.directory = directory
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    guard case .awaitingRequest = state else {
      return end(Status(InvalidFieldError("request", "must come only once")))
    }
    do throws(Status) {
      guard let request = try? Anechoic_V1_WatchSessionRequest(serializedBytes: Data(message))
      else { throw .notA("WatchSessionRequest") }
      watch(try SessionWatch(request, directory, for: Principal(call)))
    } catch {
      return end(error)
    }
    call.read()
    writeNext()
  }

  func halfClosed() {
    if case .awaitingRequest = state { end(Status(InvalidFieldError("name", "is required"))) }
  }

  func writeCompleted() { writeNext() }

  func cancelled() { stop() }

  func ended() { stop() }

  private func watch(_ watch: SessionWatch) {
    state = .watching(watch)
    let waker = CallWaker(self, of: call) { $0.writeNext() }
    listener = watch.session.feed.listen { waker.wake() }
    sendStatisticsLater()
  }

  /// Sends the next response, unless a write is in flight.
  private func writeNext() {
    guard !call.isWriting, case .watching(var watch) = state else { return }
    let step = watch.next()
    state = .watching(watch)
    switch step {
    case .response(let bytes): bytes.withUnsafeBytes { try? call.write($0) }
    case .wait: break
    case .end(let status): end(status)
    }
  }

  private func sendStatisticsLater() {
    guard case .watching(let watch) = state, let interval = watch.statisticsInterval else { return }
    statisticsTimer = call.schedule(after: interval) { [weak self] in
      self?.fetchStatistics()
    }
  }

  private func fetchStatistics() {
    guard case .watching(let watch) = state else { return }
    let (session, executor) = (watch.session, call.executor)
    let reference = ThreadBound(self)
    Task(executorPreference: BackgroundExecutor.shared) {
      guard let statistics = try? await session.statistics() else { return }
      executor.perform { reference.value?.accept(statistics) }
    }
    sendStatisticsLater()
  }

  private func accept(_ statistics: Anechoic_V1_SessionStats) {
    guard case .watching(var watch) = state else { return }
    watch.accept(statistics)
    state = .watching(watch)
    writeNext()
  }

  private func end(_ status: Status) {
    stop()
    call.finish(status)
  }

  private func stop() {
    if case .watching(let watch) = state, let listener {
      watch.session.feed.stopListening(listener)
    }
    listener = nil
    state = .over
    statisticsTimer?.cancel()
  }
}
