import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestNetwork
import TestTime
import VoiceClient
import VoiceServer

/// A media client that loses its connection and continues its session, step by step.
///
/// It sends frames of 10 ms with their indexes, and knows what it has received over all connections.
final class ResumingClient {
  static let size = AudioFormat.s16.bytes(10)
  static let samples = Int64(size / 2)

  let start: Anechoic_V1_Start
  private let microphone: [UInt8]
  private(set) var stream: ProcessStream
  /// Everything that was received, without repetitions.
  private(set) var heard = Recording()
  private(set) var sentFrames = 0

  var session: String { stream.started.session }
  var resumed: Anechoic_V1_Started.Resumed { stream.started.resumed }
  var processedSamples: Int64 { Int64(heard.processed.count / 2) }

  init(
    _ client: VoiceProcessingClient, _ start: Anechoic_V1_Start = .mediaClock(),
    microphone: [UInt8] = AudioFormat.s16.babble(5000)
  ) async throws {
    self.start = start
    self.microphone = microphone
    stream = try await client.process(start)
    heard.started = stream.started
  }

  /// Returns the start that continues the session.
  func continuation(
    at sample: Int64? = nil, _ change: (inout Anechoic_V1_Start) -> Void = { _ in }
  ) -> Anechoic_V1_Start {
    start.with {
      $0.sessionID = ""
      $0.resumeToken = stream.started.resumeToken
      $0.resumePoint.lastEventID = heard.events.last?.eventID ?? 0
      $0.resumePoint.processedSamples = processedSamples
      if let sample { $0.resumePoint.microphoneSample = sample }
      change(&$0)
    }
  }

  /// Continues the session, and then with the frame that the session expects.
  func resume(
    on client: VoiceProcessingClient, at sample: Int64? = nil,
    _ change: (inout Anechoic_V1_Start) -> Void = { _ in }
  ) async throws {
    stream = try await client.process(continuation(at: sample, change))
    sentFrames = Int(resumed.microphoneSample / Self.samples)
  }

  /// Sends frames and waits until all of their output has come, unless `awaiting` is false.
  func talk(frames: Int, awaiting: Bool = true) async throws {
    for _ in 0..<frames {
      let offset = sentFrames * Self.size % (microphone.count - Self.size)
      try await stream.send(
        .with {
          $0.microphone.samples = Data(microphone[offset..<offset + Self.size])
          $0.microphone.firstSample = Int64(sentFrames) * Self.samples
        })
      sentFrames += 1
    }
    if awaiting { try await hear(until: Int64(sentFrames) * Self.samples) }
  }

  /// Receives until the output ends at this sample.
  func hear(until sample: Int64) async throws {
    while processedSamples < sample, let response = try await stream.receive() { record(response) }
  }

  /// Receives until an event comes.
  @discardableResult
  func hear(
    _ isWanted: (Anechoic_V1_SessionEvent) -> Bool
  ) async throws -> Anechoic_V1_SessionEvent {
    while !heard.events.contains(where: isWanted), let response = try await stream.receive() {
      record(response)
    }
    let event = heard.events.first(where: isWanted)
    return try #require(event)
  }

  /// Ends the session and receives the rest.
  func finish() async throws -> Recording {
    stream.finish()
    while let response = try await stream.receive() { record(response) }
    return heard
  }

  private func record(_ response: Anechoic_V1_ProcessResponse) {
    var response = response
    if case .audio = response.response {
      let first = response.audio.processed.firstSample
      let known = Int(max(0, processedSamples - first)) * 2
      response.audio.processed.samples = response.audio.processed.samples.dropFirst(known)
      // What the server no longer had stays silent.
      let missing = max(0, Int(first - processedSamples)) * 2
      if missing > 0 {
        response.audio.processed.samples =
          Data(count: missing) + response.audio.processed.samples
      }
    }
    heard.record(response)
  }
}

extension TestServer {
  /// Runs `body` with a server on which sessions wait, and with a proxy to it.
  static func runWithProxy<Result>(
    threads: Int = 2, _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (TestServer, TCPProxy) async throws -> Result
  ) async throws -> Result {
    try await run(threads: threads) {
      $0.limits.resumeWindow = .seconds(10)
      try configure(&$0)
    } _: { server in
      let proxy = try TCPProxy(to: server.address)
      defer { proxy.stop() }
      return try await body(server, proxy)
    }
  }

  /// Waits until no session runs or waits.
  func hasNoSessions() async throws {
    let steering = steering(as: "waiter")
    try await eventually("no session") { try await steering.list().isEmpty }
  }

  /// Waits until a session has a state.
  func session(_ name: String, becomes state: Anechoic_V1_Session.State) async throws {
    let steering = steering(as: "waiter")
    try await eventually("\(name) is \(state)") { try await steering.get(name).state == state }
  }
}

extension TCPProxy {
  /// A client of the server behind the proxy, on a connection of its own.
  func client(as name: String? = nil) -> VoiceProcessingClient {
    VoiceProcessingClient(server: address, clientName: name).reconnected()
  }
}
