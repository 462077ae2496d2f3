import GRPCTransport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReflectionTests {
  private static let method = Method(
    service: "grpc.reflection.v1alpha.ServerReflection", name: "ServerReflectionInfo")

  /// A `ServerReflectionRequest` of one string field.
  private func request(_ field: UInt8, _ text: String) -> [UInt8] {
    [field << 3 | 2, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  @Test func reflectionListsTheServices() async throws {
    let second = Method(service: "anechoic.test.Second", name: "X")
    let other = ServerMethod.unary(second) { request, _ in request }
    try await withServer(also: [other]) { server in
      let call = server.channel().call(Self.method)
      let answer = try #require(await call.exchange(request(7, "*")))
      let text = String(decoding: answer, as: UTF8.self)
      #expect(text.contains("anechoic.test.Service"))
      #expect(text.contains("anechoic.test.Second"))
      #expect(text.contains("grpc.reflection.v1alpha.ServerReflection"))
      call.halfClose()
      try await #expect(call.outcome() == .ok)
    }
  }
}
