import Foundation
import GRPCTransport
import Testing
import TestTime

/// The background lane and the main lane.
@Suite(.timeLimit(.minutes(1)))
struct LaneTests {
  /// Returns a method of the background lane that follows a script.
  private func background(
    _ journal: Journal, _ script: ScriptedHandler.Script = .echo
  ) -> ServerMethod {
    ServerMethod(.other, lane: .background) { ScriptedHandler($0, journal, script) }
  }

  private func threads(_ journal: Journal) -> Set<UInt> { Set(journal.entries.map(\.thread)) }

  @Test func everyFactorySetsTheLane() {
    let methods: [(Lane) -> ServerMethod] = [
      { ServerMethod(.test, lane: $0) { ScriptedHandler($0, Journal(), .echo) } },
      { .unary(.test, lane: $0) { request, _ in request } },
      { .clientStreaming(.test, lane: $0) { _, _ in [] } },
      { .serverStreaming(.test, lane: $0) { _, _, _ in } },
    ]
    for method in methods {
      #expect(method(.main).lane == .main)
      #expect(method(.background).lane == .background)
    }
    #expect(ServerMethod.unary(.test) { request, _ in request }.lane == .main)
  }

  @Test func theLanesShareNoThread() async throws {
    let journal = Journal()
    let options = Server.Options(addresses: ["127.0.0.1:0"], queueCount: 2)
    try await withServer(options: options, also: [background(journal)]) { server in
      let channel = server.channel()
      // There are more of these calls than of the others. If a main call could use the background
      // lane, it would.
      let main = (0..<20).map { _ in channel.call(.test) }
      let others = (0..<5).map { _ in channel.call(.other) }
      for call in main + others { try await #expect(call.exchange([1]) == [1]) }
      #expect(threads(server.journal).count == 2)
      #expect(threads(journal).count == 1)
      #expect(threads(server.journal).isDisjoint(with: threads(journal)))
      withExtendedLifetime((main, others)) {}
    }
  }

  /// With other poll strategies than epoll, the background thread polls too.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["GRPC_POLL_STRATEGY"] == nil))
  func aStreamOfTheMainLaneDoesNotWakeTheBackgroundThread() async throws {
    let journal = Journal()
    try await withServer(also: [background(journal, Self.notesItsThread)]) { server in
      try await #expect(server.channel().call(.other).outcome() == .ok)
      let thread = try #require(note(journal))
      try await #expect(switches(of: thread, duringAStreamOf: server.call()) < 20)
    }
  }

  /// The queue of a spare server looks for events every 20 ms, and polls for a while after each.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["GRPC_POLL_STRATEGY"] == nil))
  func aStreamHardlyWakesTheThreadOfASpareServer() async throws {
    let spare = Journal()
    var options = Server.Options.loopback
    options.isSpare = true
    try await withServer { server in
      try await withServer(
        [ServerMethod(.other) { ScriptedHandler($0, spare, Self.notesItsThread) }],
        options: options,
        journal: spare
      ) { other in
        let channel = other.channel()
        try await #expect(channel.call(.other).outcome() == .ok)
        let thread = try #require(note(spare))
        let call = server.call()
        try await #expect(call.exchange([0]) == [0])
        // Until the thread has noticed that there is a call elsewhere, and polls no more.
        try await eventually("it looks now and then") {
          let began = ContinuousClock.now
          let switches = try await switches(of: thread, duringAStreamOf: call)
          let looks = Int((ContinuousClock.now - began) / .milliseconds(20))
          return switches < 20 + 3 * looks
        }
        try await #expect(channel.call(.other).outcome() == .ok)
      }
    }
  }

  private static let notesItsThread = ScriptedHandler.Script(started: { handler in
    handler.note(thread)
    handler.call.finish(.ok)
  })

  /// Returns how often a thread, a folder within /proc, waits while a call exchanges 200 messages.
  private func switches(of thread: String, duringAStreamOf call: ClientCall) async throws -> Int {
    let before = try switches(of: thread)
    for byte in 0..<200 as Range<UInt8> { try await #expect(call.exchange([byte]) == [byte]) }
    return try switches(of: thread) - before
  }

  /// Returns how often a thread, a folder within /proc, has waited.
  private func switches(of thread: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
    let line = try #require(
      status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") })
    return try #require(Int(line.split(separator: "\t")[1]))
  }

  @Test func onlyTheBackgroundThreadHasALowerPriority() async throws {
    let script = ScriptedHandler.Script(started: { handler in
      handler.note("\(niceness())")
      handler.call.finish(.ok)
    })
    let journal = Journal()
    try await withServer(script, also: [background(journal, script)]) { server in
      try await #expect(server.call().outcome() == .ok)
      try await #expect(server.channel().call(.other).outcome() == .ok)
      #expect(server.journal.count(of: .note("\(niceness())")) == 1)
      #expect(journal.count(of: .note("5")) == 1)
    }
  }

  @Test func theBodiesOfAsynchronousMethodsHaveALowerPriorityToo() async throws {
    let method = ServerMethod.unary(.other, lane: .background) { _, _ in
      await Task.yield()
      return [UInt8(niceness())]
    }
    try await withServer(also: [method]) { server in
      try await #expect(server.channel().unary(.other, [], timeout: .seconds(20)) == [5])
    }
  }

  @Test func aBlockedBackgroundCallHoldsUpNoOther() async throws {
    let journal = Journal()
    var blocking = ScriptedHandler.Script.echo
    blocking.received = { handler, message in
      handler.note("blocked")
      try? handler.journal.blockUntilReleased()
      handler.write(message)
    }
    try await withServer(also: [background(journal, blocking)]) { server in
      let call = server.channel().call(.other)
      try await within { try await call.send([1]) }
      try await journal.wait(for: .note("blocked"))
      try await #expect(server.call().exchange([2]) == [2])
      #expect(journal.count(of: .writeCompleted) == 0)
      journal.release()
      try await #expect(within { try await call.receive() } == [1])
    }
  }

  @Test func aServerMayHaveNothingButBackgroundMethods() async throws {
    let method = ServerMethod.unary(.test, lane: .background) { request, _ in request.reversed() }
    try await withServer([method]) { server in
      let channel = server.channel()
      for _ in 0..<10 {
        try await #expect(within { try await channel.unary(.test, [1, 2]) } == [2, 1])
      }
    }
  }

  @Test func theBackgroundThreadExistsIfAMethodNeedsIt() async {
    // Runs in a process of its own, in which no other test has a server.
    await #expect(processExitsWith: .success) {
      try await withServer { server in
        try await #require(server.call().exchange([1]) == [1])
        try #require(threadCount(named: "grpc-background") == 0)
      }
      let method = ServerMethod.unary(.test, lane: .background) { request, _ in request }
      try await withServer([method, .unary(.other, lane: .background) { $0 + $1.peer.utf8 }]) {
        let channel = $0.channel()
        try await #require(within { try await channel.unary(.test, [1]) } == [1])
        try #require(threadCount(named: "grpc-background") == 1)
      }
      try #require(threadCount(named: "grpc-background") == 0)
    }
  }

  @Test func aShutdownWaitsForBackgroundCallsAndCancelsThemAfterTheGrace() async throws {
    let journal = Journal()
    var script = ScriptedHandler.Script.echo
    script.received = { handler, message in
      handler.timer = handler.call.schedule(after: .seconds(3600)) { handler.note("fired") }
      handler.write(message)
    }
    try await withServer(also: [background(journal, script)]) { server in
      let channel = server.channel()
      let calls = (0..<20).map { _ in channel.call(.other) }
      for call in calls { try await #expect(call.exchange([1]) == [1]) }
      let began = ContinuousClock.now
      try await within { await server.server.shutdown(grace: .milliseconds(200)) }
      #expect(ContinuousClock.now - began >= .milliseconds(199))
      #expect(journal.count(of: .cancelled) == 20)
      #expect(journal.count(of: .released) == 20)
      #expect(journal.count(of: .note("fired")) == 0)
    }
  }

  @Test func aServerWithABackgroundMethodMayFailToStart() async throws {
    try await withServer { taken in
      _ = #expect(throws: ServerError.addressUnavailable(taken.address)) {
        _ = try Server(options: .init(addresses: [taken.address]), methods: [background(Journal())])
      }
    }
  }
}

/// Returns the niceness of this thread.
private func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

/// Returns the number of this process's threads with a name.
private func threadCount(named name: String) throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
    let path = "/proc/self/task/\(thread)/comm"
    let comm = try? String(contentsOfFile: path, encoding: .utf8)
    return comm?.split(separator: "\n").first == name[...]
  }
}

/// The calling thread, a folder within /proc.
private var thread: String {
  (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
}

/// Returns the first note of a journal.
private func note(_ journal: Journal) -> String? {
  journal.entries.lazy.compactMap { entry in
    if case .note(let text) = entry.event { text } else { nil }
  }.first
}
