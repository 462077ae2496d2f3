import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

/// Answers that no client can read.
@Suite(.timeLimit(.minutes(1)))
struct UnreadableAnswerTests {
  /// How a server sees the end of a client's call.
  private enum End { case halfClosed, cancelled }

  @Test(arguments: [true, false])
  func theCallIsCancelledBeforeItsOwnerCanHalfCloseIt(isMessage: Bool) async throws {
    let impossible = Anechoic_V1_ProcessResponse.with { $0.event.microphoneSample = .max }
    let answer = isMessage ? try impossible.serializedBytes() : [UInt8](repeating: 0xff, count: 9)
    let (ends, end) = AsyncStream.makeStream(of: End.self)
    let method = ServerMethod(Method(service: RPC.voiceProcessing, name: RPC.process)) {
      BrokenSession($0, answer, end)
    }
    let server = try Server(options: .init(addresses: ["127.0.0.1:0"]), methods: [method])
    let stream = try await within {
      try await VoiceProcessingClient(server: server.addresses[0]).process(.with { _ in })
    }
    let error = try await within {
      await #expect(throws: Status.self) { try await stream.receive() }
    }
    #expect(error?.code == .internal)
    stream.finish()
    #expect(try await within { await ends.first { _ in true } } == .cancelled)
    try await within { await server.shutdown(grace: .zero) }
  }

  /// Starts a session, and then sends an answer that no client can read.
  private final class BrokenSession: ServerCallHandler {
    private let call: ServerCall
    private var answers: [[UInt8]]
    private let end: AsyncStream<End>.Continuation

    init(_ call: ServerCall, _ answer: [UInt8], _ end: AsyncStream<End>.Continuation) {
      self.call = call
      let started = Anechoic_V1_ProcessResponse.with { $0.started.session = "sessions/a" }
      answers = [(try? started.serializedBytes()) ?? [], answer]
      self.end = end
      call.read()
    }

    func received(_: UnsafeRawBufferPointer) {
      call.read()
      answerNext()
    }
    func writeCompleted() { answerNext() }
    func halfClosed() { end.yield(.halfClosed) }
    func cancelled() { end.yield(.cancelled) }
    func ended() {}

    private func answerNext() {
      guard !answers.isEmpty else { return }
      answers.removeFirst().withUnsafeBytes { try? call.write($0) }
    }
  }
}
