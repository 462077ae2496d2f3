import GRPCTransport
import Synchronization
import Testing
import TestTime

/// The counts of observers, and the id of each call in logs.
@Suite(.timeLimit(.minutes(1)))
struct CallObserverTests {
  private final class Counts: CallObserver {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func started() { add("started") }
    func received() { add("received") }
    func sent() { add("sent") }
    func handled(_ code: StatusCode, after time: Duration) {
      add("\(code.name) \(time > .zero && time < .seconds(60))")
    }

    private func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private static let hello = ServerMethod.unary(.test) { _, context in
    guard context.metadata["fail"] == nil else { throw Status(.notFound) }
    return Array(context.correlation.utf8)
  }

  @Test func aCallIsCountedFromStartToEnd() async throws {
    let counts = Counts()
    try await withServer([Self.hello.with(counts)]) { server in
      let channel = server.channel()
      _ = try await within { try await channel.unary(.test, [1]) }
    }
    #expect(counts.all == ["started", "received", "sent", "OK true"])
  }

  @Test func aRefusedCallIsCountedWithItsCode() async throws {
    let counts = Counts()
    var metadata = Metadata()
    metadata.append("fail", "1")
    try await withServer([Self.hello.with(counts)]) { server in
      let call = server.call(metadata: metadata)
      try? await within { try await call.send([1]) }
      call.halfClose()
      try await #expect(call.outcome().code == .notFound)
    }
    #expect(counts.all == ["started", "received", "NOT_FOUND true"])
  }

  @Test func aCallThatItsClientGivesUpIsCountedAsCancelled() async throws {
    let counts = Counts()
    let journal = Journal()
    let method = ServerMethod(.test) { ScriptedHandler($0, journal, .echo) }.with(counts)
    try await withServer([method]) { server in
      let call = server.call()
      _ = try await call.exchange([1])
      call.cancel()
      _ = try await call.outcome()
    }
    #expect(counts.all.last == "CANCELLED true")
  }

  @Test func theIdOfACallIsTheTraceOfItsClient() async throws {
    let trace = "0af7651916cd43dd8448eb211c80319c"
    #expect(try await id(for: "00-\(trace)-b7ad6b7169203331-01") == trace)
  }

  @Test(arguments: [
    nil, "", "00-xyz", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
    "0af7651916cd43dd8448eb211c80319c", String(repeating: "-", count: 3000),
  ])
  func aCallWithoutATraceHasARandomId(header: String?) async throws {
    let first = try await id(for: header)
    let second = try await id(for: header)
    #expect(first.count == 32 && first.allSatisfy(\.isHexDigit) && first != second)
  }

  /// Returns the id that the client and the handler got.
  private func id(for header: String?) async throws -> String {
    var metadata = Metadata()
    if let header { metadata.append("traceparent", header) }
    let traced = Self.hello.with(correlationHeader: "call-id")
    return try await withServer([traced]) { server in
      let call = server.call(metadata: metadata)
      let received = try await within {
        try await call.send([1])
        call.halfClose()
        return try await call.receive()
      }
      let answer = try #require(received)
      let header = call.initialMetadata?["call-id"]
      #expect(header == String(decoding: answer, as: UTF8.self))
      return header ?? ""
    }
  }
}
