import GRPCTransport
import Testing
import TestTime

/// Outside data and small mistakes that must not end the process. Each test runs in a process of
/// its own, because libgrpc would abort it.
@Suite(.timeLimit(.minutes(1)))
struct MisuseTests {
  @Test func aSecondHalfCloseDoesNothing() async {
    await #expect(processExitsWith: .success) {
      try await withServer { server in
        let call = server.call()
        try await #require(call.exchange([1]) == [1])
        call.halfClose()
        call.halfClose()
        try await #require(call.outcome() == .ok)
        call.halfClose()
      }
    }
  }

  @Test func aMessageAfterTheHalfCloseIsRefused() async {
    await #expect(processExitsWith: .success) {
      var script = ScriptedHandler.Script.echo
      script.halfClosed = { _ in }
      try await withServer(script) { server in
        let call = server.call()
        try await #require(call.exchange([1]) == [1])
        call.halfClose()
        let error = await #expect(throws: Status.self) {
          try await within { try await call.send([2]) }
        }
        try #require(error?.code == .failedPrecondition)
      }
    }
  }

  @Test func aSecondSendAtOnceIsRefusedAndTheFirstIsUnharmed() async {
    await #expect(processExitsWith: .success) {
      var script = ScriptedHandler.Script.sink
      script.started = readOnRelease
      try await withServer(script) { server in
        let call = server.call()
        // More than any window, so that the message does not leave before the server reads.
        let large = [UInt8](repeating: 1, count: 3_000_000)
        try await withThrowingTaskGroup { group in
          for _ in 0..<2 { group.addTask { try await misuse { try await call.send(large) } } }
          try await #require(group.next() == .secondWriter)
          server.journal.release()
          try await #require(group.next() == .some(nil))
        }
        call.halfClose()
        try await #require(call.outcome() == .ok)
        try #require(server.journal.count(of: .received(large)) == 1)
      }
    }
  }

  @Test func aSecondReceiveAtOnceIsRefusedAndTheFirstIsUnharmed() async {
    await #expect(processExitsWith: .success) {
      try await withServer { server in
        let call = server.call()
        try await withThrowingTaskGroup { group in
          for _ in 0..<2 {
            group.addTask {
              try await misuse { try #require(try await call.receive() == [1]) }
            }
          }
          try await #require(group.next() == .secondReader)
          try await within { try await call.send([1]) }
          try await #require(group.next() == .some(nil))
        }
      }
    }
  }

  @Test func aSecondWriteOfAHandlerIsRefusedAndTheFirstIsUnharmed() async {
    await #expect(processExitsWith: .success) {
      let script = ScriptedHandler.Script(
        received: { handler, message in
          handler.write(message)
          do {
            try [9].withUnsafeBytes { try handler.call.write($0) }
          } catch {
            handler.note("\(error)")
          }
          handler.call.read()
          handler.call.read()
        })
      try await withServer(script) { server in
        let call = server.call()
        try await #require(call.exchange([1]) == [1])
        try await server.journal.wait(for: .note("\(CallMisuseError.secondWriter)"))
        call.halfClose()
        try await #require(call.outcome() == .ok)
      }
    }
  }

  @Test func onlyTheFirstEndOfAHandlerCounts() async {
    await #expect(processExitsWith: .success) {
      let script = ScriptedHandler.Script(
        received: { handler, message in
          handler.write(message)
          handler.call.read()
          handler.call.finish(Status(.aborted, "first"))
          handler.call.finish(Status(.dataLoss, "second"))
          handler.write([9])
          handler.call.read()
        },
        ended: { handler in
          handler.call.finish(Status(.dataLoss, "late"))
          handler.call.abort(Status(.dataLoss, "late"))
          handler.write([9])
          handler.call.read()
        })
      try await withServer(script) { server in
        let call = server.call()
        try await within { try await call.send([1]) }
        try? await within { try await call.send([2]) }
        try await #require(within { try await call.receive() } == [1])
        try await #require(call.outcome() == Status(.aborted, "first"))
        try await server.journal.wait(for: .released)
        try #require(server.journal.events() == [.started, .received([1]), .ended, .released])
      }
    }
  }

  @Test func headersThatCannotBeSentDoNotEndTheClient() async {
    await #expect(processExitsWith: .success) {
      try await withServer { server in
        let call = server.call(metadata: unsendable)
        try await #require(call.exchange([1]) == [1])
      }
    }
  }

  @Test func trailersThatCannotBeSentDoNotEndTheServer() async {
    await #expect(processExitsWith: .success) {
      try await withServer(.refusal(.ok, trailers: unsendable)) { server in
        let call = server.call()
        try await #require(call.outcome() == .ok)
        try #require(call.trailers["good"] == "yes")
      }
    }
  }

  @Test func initialMetadataThatCannotBeSentDoesNotEndTheServer() async {
    await #expect(processExitsWith: .success) {
      var script = ScriptedHandler.Script.echo
      script.started = { handler in
        handler.call.addInitialMetadata("name", "José")
        handler.call.read()
      }
      try await withServer(script) { server in
        try await #require(server.call().exchange([1]) == [1])
      }
    }
  }

  /// A handler that gets its cancellation late still works on earlier messages.
  @Test func aHandlerMayAnswerWhileTheServerStops() async {
    await #expect(processExitsWith: .success) {
      var script = ScriptedHandler.Script.echo
      script.received = { handler, message in
        handler.note("blocked")
        try? handler.journal.blockUntilReleased()
        handler.write(message)
        handler.call.read()
      }
      script.writeCompleted = { _ in }
      try await withServer(script) { server in
        let call = server.call()
        let waiting = server.call()
        try await within { try await call.send([1]) }
        try await server.journal.wait(for: .note("blocked"))
        let shutdown = Task { await server.server.shutdown(grace: .zero) }
        try await #require(call.outcome().code != .ok)
        _ = try await waiting.outcome()
        // Long enough for a shutdown that does not wait for the handler.
        let isOver = Task {
          await shutdown.value
          server.journal.record(.note("stopped"))
        }
        try await remains("running", for: .milliseconds(100)) {
          server.journal.count(of: .note("stopped")) == 0
        }
        server.journal.release()
        try await within { await isOver.value }
        try #require(server.journal.count(of: .ended) == server.journal.count(of: .started))
      }
    }
  }
}

/// Reads the first message when the test calls `release()`.
private let readOnRelease: ScriptedHandler.Step = { handler in
  let executor = handler.call.executor
  let call = Confined(handler.call)
  handler.journal.onRelease { executor.perform { call.value.read() } }
}

/// Returns the misuse with which a use of a call is refused, or nil if it succeeds.
private func misuse(_ use: @Sendable () async throws -> Void) async throws -> CallMisuseError? {
  do {
    try await use()
    return nil
  } catch let misuse as CallMisuseError {
    return misuse
  }
}

/// Entries that HTTP/2 cannot carry, and one entry that it can.
private let unsendable = {
  var metadata = Metadata()
  metadata.append("name", "José")
  metadata.append("line", "a\nb")
  metadata.append("zero", bytes: [0])
  metadata.append("k\u{e9}y", "x")
  metadata.append("two words", "x")
  metadata.append("", "x")
  metadata.append(":path", "/x")
  metadata.append("good", "yes")
  return metadata
}()
