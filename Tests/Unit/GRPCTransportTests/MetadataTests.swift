import GRPCTransport
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct MetadataTests {
  private static let everyByte = Array(UInt8.min...UInt8.max)

  private static var sample: Metadata {
    var metadata = Metadata()
    metadata.append("Mixed-Case", "Value With Case, and ~ signs")
    metadata.append("twice", "first")
    metadata.append("twice", "second")
    metadata.append("empty", "")
    metadata.append("blob-bin", bytes: everyByte)
    metadata.append("blob-bin", bytes: [0])
    metadata.append("hollow-bin", bytes: [])
    metadata.append("long", String(repeating: "x", count: 3000))
    return metadata
  }

  /// Returns the entries of the sample, sorted by key. Entries of one key keep their order.
  private static func sampleEntries(of metadata: Metadata) -> [Metadata.Entry] {
    let keys = Set(sample.entries.map(\.key))
    return keys.sorted().flatMap { key in metadata.entries.filter { $0.key == key } }
  }

  @Test func theClientsMetadataArrives() async throws {
    let script = ScriptedHandler.Script(started: { handler in
      handler.call.finish(.ok, trailers: handler.call.metadata.without(prefix: "user-agent"))
    })
    try await withServer(script) { server in
      let call = server.call(metadata: Self.sample)
      try await #expect(call.outcome() == .ok)
      #expect(Self.sampleEntries(of: call.trailers) == Self.sampleEntries(of: Self.sample))
      #expect(call.trailers["twice"] == "first")
      #expect(call.trailers["MIXED-CASE"] == "Value With Case, and ~ signs")
      #expect(call.trailers.bytes(of: "blob-bin") == Self.everyByte)
      #expect(call.trailers["absent"] == nil)
    }
  }

  @Test func theServersHeadersComeWithTheFirstMessage() async throws {
    var script = ScriptedHandler.Script.echo
    script.started = { handler in
      handler.call.addInitialMetadata("Greeting", "hello")
      handler.call.addInitialMetadata("greeting", "again")
      handler.call.addInitialMetadata("key-bin", "any \u{0} text: é")
      handler.call.read()
    }
    try await withServer(script) { server in
      let call = server.call()
      #expect(call.initialMetadata == nil)
      try await #expect(call.exchange([1]) == [1])
      let headers = try #require(call.initialMetadata)
      #expect(headers["greeting"] == "hello")
      #expect(headers.entries.count { $0.key == "greeting" } == 2)
      #expect(headers["key-bin"] == "any \u{0} text: é")
      #expect(call.trailers == Metadata())
    }
  }

  @Test func trailersComeWithAFailureToo() async throws {
    let status = Status(.failedPrecondition, "see trailers")
    try await withServer(.refusal(status, trailers: Self.sample)) { server in
      let call = server.call()
      try await #expect(call.outcome() == status)
      #expect(Self.sampleEntries(of: call.trailers) == Self.sampleEntries(of: Self.sample))
    }
  }

  @Test func trailersFollowMessages() async throws {
    var script = ScriptedHandler.Script.echo
    script.halfClosed = { $0.call.finish(.ok, trailers: Self.sample) }
    try await withServer(script) { server in
      let call = server.call()
      try await #expect(call.exchange([1]) == [1])
      call.halfClose()
      try await #expect(call.outcome() == .ok)
      #expect(Self.sampleEntries(of: call.trailers) == Self.sampleEntries(of: Self.sample))
    }
  }

  @Test func anAsynchronousMethodSeesTheHeaders() async throws {
    let method = ServerMethod.unary(.test) { _, context in
      context.metadata.bytes(of: "blob-bin") ?? []
    }
    try await withServer([method]) { server in
      let channel = server.channel()
      let answer = try await within {
        try await channel.unary(.test, [], metadata: Self.sample)
      }
      #expect(answer == Self.everyByte)
    }
  }

  /// libgrpc ends the connection, with the calls of other clients of a proxy.
  @Test func headersThatAreTooLargeEndOnlyTheirCall() async throws {
    try await withServer(.echo) { server in
      let channel = server.channel()
      let running = channel.call(.test)
      try await #expect(running.exchange([1]) == [1])
      for count in [17_000, 40_000, 60_000] {
        var metadata = Metadata()
        metadata.append("long", String(repeating: "x", count: count))
        let status = try await channel.call(.test, metadata: metadata).outcome()
        #expect(status.code == .resourceExhausted)
        #expect(status.message.hasSuffix("bytes; 16384 are allowed"))
      }
      try await #expect(running.exchange([2]) == [2])
    }
  }

  @Test func thePeerIsTheClientsAddress() async throws {
    let script = ScriptedHandler.Script(started: { handler in
      handler.note(String(handler.call.peer.prefix(15)))
      handler.call.finish(.ok)
    })
    try await withServer(script) { server in
      try await #expect(server.call().outcome() == .ok)
      #expect(server.journal.count(of: .note("ipv4:127.0.0.1:")) == 1)
    }
  }
}

extension Metadata {
  fileprivate func without(prefix: String) -> Metadata {
    var rest = Metadata()
    for entry in entries where !entry.key.hasPrefix(prefix) {
      rest.append(entry.key, bytes: entry.value)
    }
    return rest
  }
}
