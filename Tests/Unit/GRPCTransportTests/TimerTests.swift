import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct TimerTests {
  @Test func aTimerFiresOnceAfterItsTimeOnTheCallsThread() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      handler.timer = handler.call.schedule(after: .milliseconds(150)) {
        handler.note("fired")
        handler.write([1])
      }
    }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(within { try await call.receive() } == [1])
      let started = try #require(server.journal.entries.first { $0.event == .started })
      let fired = server.journal.entries.filter { $0.event == .note("fired") }
      #expect(fired.count == 1)
      #expect(fired[0].time - started.time >= .milliseconds(149))
      #expect(fired[0].time - started.time < .seconds(15))
      #expect(fired[0].thread == started.thread)
    }
  }

  @Test func aCancelledTimerDoesNotFire() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      // This timer is cancelled before it is due, however busy the machine is.
      let first = handler.call.schedule(after: .seconds(60)) { handler.note("cancelled one") }
      _ = handler.call.schedule(after: .seconds(61)) { handler.write([2]) }
      first?.cancel()
      first?.cancel()
      handler.timer = first
    }
    let clock = TestClock()
    try await withServer(script, options: .loopback(clock)) { server in
      let call = server.call()
      try await server.journal.wait(for: .started)
      try await clock.advancing(by: .seconds(10)) {
        try await #expect(within { try await call.receive() } == [2])
      }
      #expect(server.journal.count(of: .note("cancelled one")) == 0)
    }
  }

  @Test func aTimerOfTheLibraryThatIsCancelledDoesNotFire() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      // This timer is cancelled before it is due, however busy the machine is.
      let first = handler.call.schedule(after: .milliseconds(300)) { handler.note("cancelled one") }
      _ = handler.call.schedule(after: .milliseconds(310)) { handler.write([2]) }
      first?.cancel()
      first?.cancel()
      handler.timer = first
    }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(within { try await call.receive() } == [2])
      #expect(server.journal.count(of: .note("cancelled one")) == 0)
    }
  }

  @Test func aTimerThatNobodyHoldsFiresAllTheSame() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      for delay in [30, 10, 20] {
        _ = handler.call.schedule(after: .milliseconds(delay)) { handler.note("\(delay)") }
      }
    }
    try await withServer(script) { server in
      let call = server.call()
      for note in ["10", "20", "30"] { try await server.journal.wait(for: .note(note)) }
      // The order is not tested. On a busy machine, a later timer may be started late.
      for delay in [10, 20, 30] {
        let delays = delays(of: .note("\(delay)"), in: server.journal)
        #expect(delays.count == 1)
        #expect(delays.allSatisfy { $0 >= .milliseconds(delay - 1) })
      }
      withExtendedLifetime(call) {}
    }
  }

  @Test func aTimerMaySetTheNextOne() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      handler.writesLeft = 50
      tick(handler)
    }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(within { try await call.receive() } == [50])
    }
  }

  @Test func aCancelAfterTheTimeDoesNothing() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      handler.timer = handler.call.schedule(after: .zero) { handler.write([4]) }
    }
    script.writeCompleted = { handler in
      handler.timer?.cancel()
      handler.call.finish(.ok)
    }
    try await withServer(script) { server in
      try await #expect(server.call().remainder() == [[4]])
    }
  }

  @Test func timersThatWaitDoNotHoldUpTheShutdownAndAreReleased() async throws {
    var script = ScriptedHandler.Script.echo
    script.received = { handler, message in
      for _ in 0..<100 {
        handler.timer = handler.call.schedule(after: .seconds(3600)) { handler.note("fired") }
      }
      handler.write(message)
    }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      try await within { await server.server.shutdown(grace: .zero) }
      #expect(server.journal.count(of: .note("fired")) == 0)
      #expect(server.journal.count(of: .released) == 1)
    }
  }

  @Test func aTimerDoesNotFireOnceTheCallHasEnded() async throws {
    var script = ScriptedHandler.Script.echo
    script.halfClosed = { handler in
      for delay in 0..<50 {
        _ = handler.call.schedule(after: .milliseconds(delay)) { handler.note("fired") }
      }
      handler.call.finish(.ok)
    }
    try await withServer(script) { server in
      for _ in 0..<5 {
        let call = server.call()
        call.halfClose()
        try await #expect(call.outcome() == .ok)
      }
      // The handlers exist until their last timer has fired.
      try await server.journal.wait(for: .released, times: 5)
      for number in 1...5 {
        let events = server.journal.events(in: number)
        #expect(events.suffix(2) == [.ended, .released])
      }
    }
  }
}

/// Returns the times between the start of the call and each occurrence of an event.
private func delays(of event: Journal.Event, in journal: Journal) -> [Duration] {
  let entries = journal.entries
  guard let started = entries.first(where: { $0.event == .started }) else { return [] }
  return entries.filter { $0.event == event }.map { $0.time - started.time }
}

/// Counts down in steps of a millisecond, then writes.
private func tick(_ handler: ScriptedHandler) {
  handler.writesLeft -= 1
  _ = handler.call.schedule(after: .milliseconds(1)) {
    handler.writesLeft > 0 ? tick(handler) : handler.write([50])
  }
}
