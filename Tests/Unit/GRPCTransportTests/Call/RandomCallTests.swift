import GRPCTransport
import Synchronization
import TestAudio
import Testing
import TestTime

/// Real calls whose two sides act at random: they read, write, end and cancel, also twice and too
/// late. The test runs in a process of its own, because libgrpc aborts the process for many
/// mistakes.
@Suite(.timeLimit(.minutes(3)))
struct RandomCallTests {
  @Test func noInterleavingEndsTheProcessOrLeavesACallBehind() async {
    await #expect(processExitsWith: .success) {
      for round in UInt64(0)..<10 { try await randomCalls(count: 60, seed: round * 1000) }
    }
  }
}

private func randomCalls(count: UInt64, seed: UInt64) async throws {
  let journal = Journal()
  let method = ServerMethod(.test) { RandomHandler($0, journal) }
    .with(
      CallDeadlines(
        start: CallDeadline(.milliseconds(50), Status(.deadlineExceeded)),
        write: CallDeadline(.milliseconds(50), Status(.resourceExhausted))))
  var options = Server.Options.loopback
  options.queueCount = 2
  try await withServer([method], options: options, journal: journal) { server in
    let channel = server.channel()
    try await within(.seconds(60)) {
      await withTaskGroup { group in
        for number in 0..<count {
          group.addTask { await randomClient(channel, seed: seed + number) }
        }
      }
    }
  }
  // The server has shut down, so no more calls start.
  try #require(journal.count(of: .ended) == journal.count(of: .started))
  try #require(journal.count(of: .released) == journal.count(of: .started))
  let faults = journal.entries.filter { if case .note = $0.event { true } else { false } }
  try #require(faults.isEmpty, "seed \(seed): \(faults)")
}

/// Uses one call from four tasks at the same time, and cancels it at the end.
private func randomClient(_ channel: Channel, seed: UInt64) async {
  var metadata = Metadata()
  metadata.append("seed", "\(seed)")
  let call = channel.call(.test, metadata: metadata)
  await withTaskGroup { group in
    for task in 0..<4 {
      group.addTask {
        var random = SeededGenerator(seed: seed &* 4 &+ UInt64(task))
        for _ in 0..<Int.random(in: 1..<12, using: &random) {
          await step(of: call, &random)
        }
      }
    }
    try? await realTime(.milliseconds(Int(seed % 100)))
    call.cancel()
  }
  while (try? await call.receive()) != nil {}
}

private func step(of call: ClientCall, _ random: inout SeededGenerator) async {
  switch Int.random(in: 0..<20, using: &random) {
  case 0..<8:
    let size = random.happens(onceIn: 4) ? 100_000 : 10
    try? await call.send([UInt8](repeating: 1, count: size))
  case 8..<16: _ = try? await call.receive()
  case 16: call.halfClose()
  case 17: if Bool.random(using: &random) { call.cancel() }
  default: try? await realTime(.milliseconds(Int.random(in: 0..<5, using: &random)))
  }
}

/// A handler that acts at random on every event, and sometimes between events. It records events
/// that must not come.
private final class RandomHandler: ServerCallHandler {
  private let call: ServerCall
  private let journal: Journal
  private let number: Int
  private var random: SeededGenerator
  /// Whether this handler has ended the call or knows of its end.
  private var isOver = false
  private var hasEnded = false

  init(_ call: ServerCall, _ journal: Journal) {
    self.call = call
    self.journal = journal
    number = journal.nextCall()
    random = SeededGenerator(seed: UInt64(call.metadata["seed"] ?? "") ?? 0)
    journal.record(.started, in: number)
    act()
    actLater()
  }

  deinit { journal.record(.released, in: number) }

  func received(_ message: UnsafeRawBufferPointer) { expectOpen("received") }
  func halfClosed() { expectOpen("halfClosed") }
  func writeCompleted() { expectOpen("writeCompleted") }

  func stalled() { isOver = true }

  func cancelled() {
    isOver = true
    act()
  }

  func ended() {
    if hasEnded { journal.record(.note("ended twice"), in: number) }
    hasEnded = true
    isOver = true
    journal.record(.ended, in: number)
    act()
  }

  private func expectOpen(_ event: String) {
    if isOver { journal.record(.note("\(event) after the end"), in: number) }
    act()
  }

  private func act() {
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<10: call.read()
      case 10..<20: write()
      case 20: end { call.finish(Status(.ok)) }
      case 21: end { call.finish(Status(.aborted, "randomly")) }
      case 22: end { call.abort(Status(.unavailable, "randomly")) }
      default: _ = call.metadata
      }
    }
  }

  private func write() {
    let size = random.happens(onceIn: 3) ? 200_000 : 10
    let wasWriting = call.isWriting
    let isRefused =
      (try? [UInt8](repeating: 2, count: size).withUnsafeBytes { try call.write($0) }) == nil
    if isRefused, !wasWriting || isOver {
      journal.record(.note("a write was refused without need"), in: number)
    }
  }

  private func end(_ end: () -> Void) {
    guard random.happens(onceIn: 3) else { return }
    isOver = true
    end()
  }

  private func actLater() {
    _ = call.schedule(after: .milliseconds(Int.random(in: 0..<10, using: &random))) {
      [weak self] in
      self?.act()
      self?.actLater()
    }
  }
}
