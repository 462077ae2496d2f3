import AnechoicAPI
import AudioCore
import Foundation
import SwiftProtobuf
import Synchronization
import Testing
import VoiceClient

/// A session in real time that other sessions on its server must not affect.
final class Bystander: Sendable {
  private static let microphone = AudioFormat.s16.babble(20_000, seed: 7)

  private let stream: ProcessStream
  private let isOver = Atomic(false)

  private init(_ server: TestServer) async throws {
    stream = try await server.client.process(
      .mediaClock().with { $0.pacing = .realTime })
  }

  /// Runs `body` while a bystander runs on the same server. Expects that the bystander gets the
  /// same output as on an idle server.
  static func watching<Result>(
    _ server: TestServer, _ body: () async throws -> Result
  ) async throws -> Result {
    let bystander = try await Bystander(server)
    async let running = bystander.run()
    let result: Result
    do {
      result = try await body()
    } catch {
      bystander.isOver.store(true, ordering: .relaxed)
      _ = try await running
      throw error
    }
    bystander.isOver.store(true, ordering: .relaxed)
    let heard = try await running
    let alone = try await TestServer.run { server in
      try await server.record(
        .mediaClock(), microphone: Array(microphone.prefix(heard.count)))
    }
    #expect(!heard.isEmpty && heard == alone.processed)
    return result
  }

  /// Sends 10 ms and waits for the answer, again and again.
  private func run() async throws -> [UInt8] {
    let size = AudioFormat.s16.bytes(10)
    var recording = Recording()
    var sent = 0
    repeat {
      let samples = Self.microphone[sent..<sent + size]
      sent += size
      try await stream.send(.with { $0.microphone.samples = Data(samples) })
      while recording.processed.count < sent, let response = try await stream.receive() {
        recording.record(response)
      }
    } while !isOver.load(ordering: .relaxed) && sent < Self.microphone.count
    stream.finish()
    while let response = try await stream.receive() { recording.record(response) }
    #expect(recording.endReason == .clientClosed)
    return recording.processed
  }
}
