import AnechoicAPI
import GRPCTransport
import Testing

/// Invalid names and messages in the methods of the session service.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SessionNameTests {
  private static let nonsense = [
    "", "nobody", "sessions", "sessions/", "/sessions/a", "sessions//a", "sessions/a/b",
    "Sessions/a", "rooms/a", " sessions/a",
  ]

  @Test(arguments: SessionMethod.all)
  func anInvalidNameIsRefused(method: SessionMethod) async throws {
    try await TestServer.run { server in
      // Ids that no session can have are invalid too.
      for name in Self.nonsense + ["sessions/\u{0}", "sessions/ü", "sessions/" + longName] {
        let status = try await refusal {
          _ = try await server.ask(method.name, method.request(name))
        }
        try #require(status).expect(.invalidArgument, field: method.field)
      }
    }
  }

  @Test(arguments: SessionMethod.all)
  func aSessionThatDoesNotRunIsNotFound(method: SessionMethod) async throws {
    try await TestServer.run { server in
      let ended = try await server.record(.mediaClock(), []).started.session
      for name in [ended, "sessions/nobody"] {
        let status = try await refusal {
          _ = try await server.ask(method.name, method.request(name))
        }
        #expect(status?.code == .notFound && status?.reason == "NO_SESSION", "\(name.prefix(40))")
      }
    }
  }

  @Test(arguments: SessionMethod.all)
  func invalidBytesAreRefusedAndHarmNobody(method: SessionMethod) async throws {
    let garbage: [[UInt8]] = [
      [0xff], [0x0a, 0x7f], [UInt8](repeating: 0x80, count: 20), Array("GET / HTTP/1.1".utf8),
      [0x0a, 0x02, 0xc3, 0x28],  // A string that is not UTF-8.
    ]
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for message in garbage {
          let status = try await refusal { _ = try await server.ask(method.name, message) }
          #expect(status?.code == .invalidArgument, "\(message): \(String(describing: status))")
          #expect(status?.reason == "MALFORMED_REQUEST")
        }
      }
    }
  }

  @Test(arguments: SessionMethod.all)
  func anEmptyMessageIsRefusedWithTheMissingField(method: SessionMethod) async throws {
    try await TestServer.run { server in
      let status = try await refusal { _ = try await server.ask(method.name, []) }
      #expect(status?.code == .invalidArgument && status?.reason == "INVALID_FIELD")
    }
  }

  private let longName = "a" + String(repeating: "\u{301}", count: 10_000)
}
