internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization

/// Clients whose sessions run in real time, on one connection.
final class CapacityLoad: Sendable {
  /// A session, and whether it was told to end: its calls then fail, as they should.
  private final class Session: Sendable {
    let isEnding = Atomic<Bool>(false)
    let task = Mutex<Task<Void, Never>?>(nil)

    func end() {
      isEnding.store(true, ordering: .relaxed)
      task.withLock { $0 }?.cancel()
    }
  }

  private let kind: MeasuredKind
  private let messages: [[UInt8]]
  private let channel: Channel
  private let sessions = Mutex<[Session]>([])
  private let failure = Mutex<(any Error)?>(nil)

  init(_ kind: MeasuredKind, _ messages: [[UInt8]], on address: String) {
    self.kind = kind
    self.messages = messages
    channel = Channel(target: address)
  }

  /// The number of sessions that were started.
  var count: Int { sessions.withLock { $0.count } }

  /// Starts or ends sessions until there are `count`. Returns when the last one has started or ended.
  /// Throws the status of a session that was refused.
  func resize(to count: Int) async throws {
    await end(downTo: count)
    while self.count < count {
      let call = channel.call(Method(service: RPC.voiceProcessing, name: RPC.process))
      try await call.send(
        Anechoic_V1_ProcessRequest.with { $0.start = kind.start }.serializedBytes() as [UInt8])
      _ = try await call.receive()
      let number = self.count
      let session = Session()
      let task = Task { [self] in
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            await self.watching(session) { while try await call.receive() != nil {} }
          }
          group.addTask { await self.watching(session) { try await self.send(over: call, number) } }
        }
      }
      session.task.withLock { $0 = task }
      sessions.withLock { $0.append(session) }
    }
  }

  /// Sends audio in real time. The sessions take turns within the time between two messages.
  private func send(over call: ClientCall, _ number: Int) async throws {
    // A golden section of the interval for each session spreads any number of them evenly.
    let phase = (Double(number) * 0.618_034).truncatingRemainder(dividingBy: 1)
    var due = ContinuousClock.now + MeasuredKind.interval * phase
    var index = number * 7
    while !Task.isCancelled {
      try await Task.sleep(until: due, clock: .continuous)
      try await call.send(messages[index % messages.count])
      index += 1
      due += MeasuredKind.interval
    }
  }

  private func watching(_ session: Session, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      guard !session.isEnding.load(ordering: .relaxed) else { return }
      failure.withLock { $0 = $0 ?? error }
    }
  }

  /// Throws the failure of a session.
  func check() throws {
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Ends the newest sessions until at most `count` are left.
  func end(downTo count: Int) async {
    let ended = sessions.withLock { sessions in
      let ended = sessions.dropFirst(count)
      sessions = Array(sessions.prefix(count))
      return ended
    }
    for session in ended { session.end() }
    for session in ended { await session.task.withLock { $0 }?.value }
  }
}
