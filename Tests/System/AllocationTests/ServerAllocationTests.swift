import AnechoicAPI
import Authentication
import BundledEngines
import CAllocationCounter
import Foundation
import GRPCTransport
import Operations
import SwiftProtobuf
import TestAudio
import Testing

import VoiceEngines
@testable import VoiceServer

/// The allocations of a running server on its own thread for each message, compared with a handler
/// that only reads and writes. The difference is ours. The rest belongs to libgrpc.
struct ServerAllocationTests {
  private static let frames = 300
  private static let warmup = 100

  @Test func aFrameAllocatesNothingThatItsTransportDoesNot() async throws {
    let audio =
      try Anechoic_V1_ProcessRequest.with {
        $0.audio.microphone.samples = Data(count: 320)
        $0.audio.reference.samples = Data(count: 320)
      }.serializedBytes() as [UInt8]
    let start =
      try Anechoic_V1_ProcessRequest.with {
        $0.start.pacing = .mediaClock
        // No event comes beside the audio, so that one message is in flight.
        $0.start.config.preferredInjectionMode = .none
        $0.start.inputs.microphone = .with {
          $0.encoding = .pcmS16Le
          $0.sampleRateHz = 16000
          $0.channelCount = 1
        }
        $0.start.inputs.reference = $0.start.inputs.microphone
      }.serializedBytes() as [UInt8]
    let configuration = ServerConfiguration(
      addresses: [], threads: 1, engines: .bundled)
    let directory = SessionDirectory(maximum: 10)
    let echo = try await perFrame(audio, audio) { EchoHandler($0, answer: 345) }
    let loads = ThreadLoads(FrameBudget(share: 0.8))
    let costs = EngineCosts(configuration.engines)
    let metrics = CallMetrics(
      configuration.metrics.registry, type: "bidi_stream", service: "Allocations", method: "Count")
    let session = try await perFrame(start, audio) {
      ProcessCall($0, configuration, directory, loads, costs)
    } as: { method in
      method.with(metrics).admitted(
        by: AccessInterceptor(authenticator: NoAuthentication(), log: configuration.log))
    }
    #expect(configuration.metrics.framesProcessed.value >= UInt64(Self.frames))
    print("allocations a frame: transport alone \(echo), whole server \(session)")
    #expect(session <= echo)
  }

  /// Returns the allocations in the handler for each message after the warm-up, with one message in
  /// flight.
  private func perFrame(
    _ first: [UInt8], _ message: [UInt8],
    _ handler: @escaping @Sendable (ServerCall) -> any ServerCallHandler,
    as offered: (ServerMethod) -> ServerMethod = { $0 }
  ) async throws -> Int64 {
    let counts = Counts()
    let method = Method(service: "anechoic.test.Allocations", name: "Count")
    let server = try Server(
      options: Server.Options(addresses: ["127.0.0.1:0"]),
      methods: [offered(ServerMethod(method) { CountingHandler(handler($0), counts) })])
    let call = Channel(target: server.addresses[0]).call(method)
    do {
      try await call.send(first)
      _ = try await call.receive()
      for _ in 0..<Self.frames {
        try await call.send(message)
        _ = try await call.receive()
      }
      call.halfClose()
      while try await call.receive() != nil {}
    } catch {
      await server.shutdown(grace: .zero)
      throw error
    }
    await server.shutdown(grace: .seconds(5))
    // Uses the median, because libgrpc sometimes allocates once more for itself.
    let measured = counts.all.dropFirst(Self.warmup).prefix(Self.frames - Self.warmup).sorted()
    return measured[measured.count / 2]
  }
}

/// The counts that one thread writes while it serves. Another thread reads them after the end.
private final class Counts: @unchecked Sendable {
  var all: [Int64] = []

  init() { all.reserveCapacity(1000) }
}

/// A handler that counts the allocations of another handler while it has a message, and during the
/// write that follows.
private final class CountingHandler: ServerCallHandler {
  private let handler: any ServerCallHandler
  private let counts: Counts

  init(_ handler: any ServerCallHandler, _ counts: Counts) {
    self.handler = handler
    self.counts = counts
  }

  func received(_ message: UnsafeRawBufferPointer) {
    allocation_counter_start()
    handler.received(message)
    counts.all.append(allocation_counter_stop())
  }

  func halfClosed() { handler.halfClosed() }
  func writeCompleted() { handler.writeCompleted() }
  func cancelled() { handler.cancelled() }
  func ended() { handler.ended() }
}

/// A handler that answers each message with a fixed number of bytes.
private final class EchoHandler: ServerCallHandler {
  private let call: ServerCall
  private let answer: UnsafeMutableRawBufferPointer
  private var isWriting = false
  private var answersDue = 0

  init(_ call: ServerCall, answer: Int) {
    self.call = call
    self.answer = .allocate(byteCount: answer, alignment: 16)
    self.answer.initializeMemory(as: UInt8.self, repeating: 0)
    call.read()
  }

  deinit { answer.deallocate() }

  func received(_ message: UnsafeRawBufferPointer) {
    answersDue += 1
    writeNext()
    call.read()
  }

  func halfClosed() { call.finish(.ok) }

  func writeCompleted() {
    isWriting = false
    writeNext()
  }

  /// The client may receive an answer and send more before libgrpc reports that the write has
  /// completed.
  private func writeNext() {
    guard !isWriting, answersDue > 0 else { return }
    isWriting = true
    answersDue -= 1
    try? call.write(UnsafeRawBufferPointer(answer))
  }

  func cancelled() {}
  func ended() {}
}
