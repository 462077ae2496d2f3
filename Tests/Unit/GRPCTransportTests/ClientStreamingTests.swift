import GRPCTransport
import Synchronization
import Testing
import TestTime

/// Methods with many requests and one response.
@Suite(.timeLimit(.minutes(1)))
struct ClientStreamingTests {
  /// Responds with all messages, joined in order.
  private let joining = ServerMethod.clientStreaming(.test) { requests, _ in
    var all: [UInt8] = []
    while let message = try await requests.next() { all += message }
    return all
  }

  @Test func everyMessageArrivesInOrderBeforeTheOneAnswer() async throws {
    try await withServer([joining]) { server in
      let call = server.call()
      try await within {
        for index in UInt8(0)..<200 { try await call.send([index]) }
      }
      call.halfClose()
      try await #expect(call.remainder() == [Array(0..<200)])
    }
  }

  @Test func aStreamWithoutMessagesIsAnsweredToo() async throws {
    try await withServer([joining]) { server in
      let call = server.call()
      call.halfClose()
      try await #expect(call.remainder() == [[]])
    }
  }

  @Test func theHalfCloseIsReportedToEveryNext() async throws {
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      var ends: [UInt8] = []
      for _ in 0..<3 { ends.append(try await requests.next() == nil ? 1 : 0) }
      return ends
    }
    try await withServer([method]) { server in
      let call = server.call()
      try await within { try await call.send([]) }
      call.halfClose()
      try await #expect(call.remainder() == [[0, 1, 1]])
    }
  }

  @Test func theAnswerMayComeBeforeTheHalfClose() async throws {
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      try await requests.next() ?? []
    }
    try await withServer([method]) { server in
      let call = server.call()
      try await within { try await call.send([1]) }
      try await #expect(call.remainder() == [[1]])
    }
  }

  @Test func aThrownStatusEndsTheCallBeforeTheHalfClose() async throws {
    let status = Status(.outOfRange, "no more", details: [0, 255])
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      _ = try await requests.next()
      throw status
    }
    try await withServer([method]) { server in
      let call = server.call()
      let sender = Task {
        while true { try await call.send([UInt8](repeating: 0, count: 65_536)) }
      }
      let error = try await within { await #expect(throws: Status.self) { try await sender.value } }
      #expect(error == status)
      try await #expect(call.outcome() == status)
    }
  }

  @Test func aStatusMayBeThrownWhileAMessageIsAskedFor() async throws {
    let journal = Journal()
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      Task {
        do {
          _ = try await requests.next()
        } catch {
          journal.record(.note("\(type(of: error))"))
        }
      }
      try await journal.wait(for: .note("release"))
      throw Status(.aborted, "enough")
    }
    try await withServer([method], journal: journal) { server in
      let call = server.call()
      journal.release()
      try await #expect(call.outcome() == Status(.aborted, "enough"))
      try await journal.wait(for: .note("CancellationError"))
    }
  }

  @Test func unreadMessagesHoldTheSenderBack() async throws {
    let (count, bytes) = (500, 65_536)  // 32 MB, far more than any window.
    let journal = Journal()
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      try await journal.wait(for: .note("release"))
      var read = 0
      while try await requests.next() != nil { read += 1 }
      return [UInt8]("\(read)")
    }
    try await withServer([method], journal: journal) { server in
      let call = server.call()
      let sender = Task {
        for _ in 0..<count {
          try await call.send([UInt8](repeating: 0, count: bytes))
          journal.record(.note("sent"))
        }
        call.halfClose()
      }
      let sent = try await journal.standstill(of: .note("sent"))
      #expect(sent < count / 2, "\(sent) sends returned")
      journal.release()
      try await within { try await sender.value }
      try await #expect(call.remainder() == [[UInt8]("\(count)")])
    }
  }

  /// Returns a method that records the error of `next()` once the client has gone.
  private func listening(_ journal: Journal) -> ServerMethod {
    .clientStreaming(.test) { requests, _ in
      do {
        while try await requests.next() != nil { journal.record(.note("message")) }
        journal.record(.note("half-closed"))
      } catch {
        journal.record(.note("\(type(of: error))"))
      }
      return []
    }
  }

  @Test func aWaitForAMessageEndsWhenTheClientIsGone() async throws {
    let journal = Journal()
    try await withServer([listening(journal)], journal: journal) { server in
      let call = server.call()
      try await within { try await call.send([1]) }
      try await journal.wait(for: .note("message"))
      call.cancel()
      try await journal.wait(for: .note("CancellationError"))
      #expect(journal.count(of: .note("half-closed")) == 0)
    }
  }

  @Test func aWaitForAMessageEndsWithAShutdownToo() async throws {
    let journal = Journal()
    try await withServer([listening(journal)], journal: journal) { server in
      let call = server.call()
      try await within { try await call.send([1]) }
      try await journal.wait(for: .note("message"))
      try await within { await server.server.shutdown(grace: .zero) }
      try await journal.wait(for: .note("CancellationError"))
      withExtendedLifetime(call) {}
    }
  }

  @Test func aLostClientIsNoticedAlthoughItsMessagesAreUnread() async throws {
    let journal = Journal()
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      journal.record(.started)
      do {
        try await untilCancelled()
      } catch {
        journal.record(.note("woken"))
      }
      _ = await #expect(throws: CancellationError.self) { try await requests.next() }
      journal.record(.ended)
      return []
    }
    try await withServer([method], journal: journal) { server in
      let call = server.call()
      try await within {
        for _ in 0..<3 { try await call.send([1]) }
      }
      try await journal.wait(for: .started)
      call.cancel()
      try await journal.wait(for: .note("woken"))
      try await journal.wait(for: .ended)
    }
  }

  @Test func aCancelledNextLosesNoMessage() async throws {
    let journal = Journal()
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      for _ in 0..<3 {
        let impatient = Task { try await requests.next() }
        await Task.yield()  // The cancellation comes before the wait or during it.
        impatient.cancel()
        _ = await #expect(throws: CancellationError.self) { try await impatient.value }
      }
      journal.record(.note("abandoned"))
      try await journal.wait(for: .note("release"))
      var all: [UInt8] = []
      while let message = try await requests.next() { all += message }
      return all
    }
    try await withServer([method], journal: journal) { server in
      let call = server.call()
      try await journal.wait(for: .note("abandoned"))
      try await within {
        for index in UInt8(0)..<5 { try await call.send([index]) }
      }
      call.halfClose()
      journal.release()
      try await #expect(call.remainder() == [[0, 1, 2, 3, 4]])
    }
  }

  @Test func manyStreamsRunSideBySideInEitherLane() async throws {
    let other = ServerMethod.clientStreaming(.other, lane: .background) { requests, _ in
      var sum: UInt8 = 0
      while let message = try await requests.next() { sum &+= message[0] }
      return [sum]
    }
    try await withServer([joining, other]) { server in
      let channel = server.channel()
      try await withThrowingTaskGroup { group in
        for index in UInt8(0)..<40 {
          group.addTask {
            let call = channel.call(index.isMultiple(of: 2) ? .test : .other)
            for _ in 0..<3 { try await within { try await call.send([index]) } }
            call.halfClose()
            let expected = index.isMultiple(of: 2) ? [index, index, index] : [index &* 3]
            try await #expect(call.remainder() == [expected])
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func aStreamLeavesNothingBehind() async throws {
    let kept = Kept()
    let method = ServerMethod.clientStreaming(.test) { requests, _ in
      kept.watch(requests)
      return try await requests.next() ?? []
    }
    try await withServer([method]) { server in
      for _ in 0..<10 {
        let call = server.call()
        try await #expect(call.exchange([1]) == [1])
        try await #expect(call.outcome() == .ok)
      }
      try await within { await server.server.shutdown(grace: .seconds(5)) }
      #expect(kept.aliveCount == 0)
    }
  }
}

/// Weak references to streams.
private final class Kept: Sendable {
  private struct Weak: @unchecked Sendable {
    weak var stream: RequestStream?
  }

  private let streams = Mutex<[Weak]>([])

  func watch(_ stream: RequestStream) { streams.withLock { $0.append(Weak(stream: stream)) } }
  var aliveCount: Int { streams.withLock { $0.count { $0.stream != nil } } }
}
