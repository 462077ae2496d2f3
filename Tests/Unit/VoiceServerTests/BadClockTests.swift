import AcousticSimulator
import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

/// Devices with wrong times, and clients with wrong indexes.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct BadClockTests {
  /// The time that the devices claim for the chunk with an index.
  struct Clock: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let microphone: @Sendable (Int) -> Int64
    let reference: @Sendable (Int) -> Int64

    init(_ name: String, _ time: @escaping @Sendable (_ index: Int64) -> Int64) {
      self.init(name, time) { time($0 &+ 1) }
    }

    init(
      _ name: String, _ microphone: @escaping @Sendable (Int64) -> Int64,
      reference: @escaping @Sendable (Int64) -> Int64
    ) {
      testDescription = name
      self.microphone = { microphone(Int64($0)) }
      self.reference = { reference(Int64($0)) }
    }
  }

  private static let chunk: Int64 = 20_000_000
  private static let hour: Int64 = 3_600_000_000_000

  private static let clocks = [
    Clock("jumps by hours") { $0 * chunk + ($0 / 25 % 2) * 3 * hour },
    Clock("jumps with each chunk") { $0 * chunk + ($0 % 2) * hour },
    Clock("runs backwards") { -$0 * chunk },
    Clock("stands still") { _ in 123 },
    Clock("is at both ends of time") { $0 % 2 == 0 ? .min : .max },
    Clock("is at the beginning of time") { _ in .min },
    Clock("is at the end of time") { _ in .max },
    Clock("runs a thousand times too fast") { $0 * 1000 * chunk },
    Clock("is random") { Int64(truncatingIfNeeded: UInt64($0) &* 0x9E37_79B9_7F4A_7C15) },
    Clock("is random within a second") { $0 * 7_919_000_003 % 1_000_000_000 },
    Clock("of the microphone lies") {
      $0 % 3 * hour
    } reference: {
      $0 * chunk
    },
    Clock("of the reference lies") {
      $0 * chunk
    } reference: {
      -$0 * hour
    },
  ]

  private static let client = EchoClient(seconds: 6)

  @Test(arguments: clocks)
  func aBadClockCausesAWarningAndTheAudioDecides(clock: Clock) async throws {
    let recording = try await TestServer.run { server in
      try await server.exchange(
        EchoClient.start,
        Self.client.requests { index, audio in
          audio.microphone.deviceTimeNs = clock.microphone(index)
          audio.reference.deviceTimeNs = clock.reference(index)
        })
    }
    let (status, end) = (recording.status, recording.endReason)
    #expect(status == nil && end == .clientClosed)
    #expect(recording.processed.count == Self.client.microphoneBytes)
    #expect(Self.client.reduction(recording, from: 4) > 20)
    let hasWarned = recording.hasWarned(of: .unsteadyClocks)
    #expect(hasWarned)
    let delay = try #require(recording.statistics.last?.echo.delay)
    #expect(abs(Double(delay.nanos) / 1e6 - 300) < 2, "\(delay)")
  }

  @Test func aDriftOfHalfAPercentCausesAWarningAndBlocksNothing() async throws {
    let client = EchoClient(seconds: 20) { $0.driftPPM = 5000 }
    let recording = try await TestServer.run { server in
      try await server.exchange(EchoClient.start, client.requests())
    }
    let (status, end) = (recording.status, recording.endReason)
    #expect(status == nil && end == .clientClosed)
    #expect(recording.processed.count == client.microphoneBytes)
    let hasWarned = recording.hasWarned(of: .unsteadyClocks)
    #expect(hasWarned)
  }

  @Test(arguments: ["microphone", "reference"])
  func indexesThatNoDeviceHasAreRefused(input: String) async throws {
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for first in [.max, .min, -1, 16000 * 3600 * 5, .max - 319] as [Int64] {
          var requests = Self.client.requests().prefix(50)
          let bad = Anechoic_V1_ProcessRequest.with {
            $0.audio.microphone = Self.client.microphone(50)
            $0.audio.reference = Self.client.reference(50)
            if input == "microphone" {
              $0.audio.microphone.firstSample = first
              $0.audio.microphone.deviceTimeNs = .max
            } else {
              $0.audio.reference.firstSample = first
              $0.audio.reference.deviceTimeNs = .min
            }
          }
          requests.append(bad)
          let recording = try await server.exchange(EchoClient.start, Array(requests))
          let status = try #require(recording.status, "\(first)")
          try status.expect(.invalidArgument, field: "audio.\(input).first_sample")
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }

  /// Each sample of the microphone is processed once, whatever is repeated.
  @Test(arguments: ["microphone", "reference"])
  func indexesThatGoBackAreDropped(input: String) async throws {
    let again = Self.client.requests().enumerated().flatMap {
      index, request -> [Anechoic_V1_ProcessRequest] in
      guard index % 7 == 6 else { return [request] }
      let old = Anechoic_V1_ProcessRequest.with {
        if input == "microphone" {
          $0.audio.microphone = Self.client.microphone(index * 7919 % index)
        } else {
          $0.audio.reference = Self.client.reference(index * 7919 % index)
        }
      }
      return [request, old]
    }
    let (usual, other) = try await TestServer.run { server in
      (
        try await server.exchange(EchoClient.start, Self.client.requests()),
        try await server.exchange(EchoClient.start, again)
      )
    }
    let isSame = other.processed == usual.processed
    #expect(isSame && other.status == nil)
    #expect(other.processed.count == Self.client.microphoneBytes)
  }

  @Test func aReferenceThatRunsAheadIsRefused() async throws {
    let requests = (0..<300).map { index in
      Anechoic_V1_ProcessRequest.with { $0.audio.reference = Self.client.reference(index) }
    }
    try await TestServer.run { server in
      let status = try #require(try await server.exchange(EchoClient.start, requests).status)
      try status.expect(.invalidArgument, field: "audio.reference.samples")
    }
  }

  @Test func aReferenceOfInvalidSamplesIsRefused() async throws {
    let start = Anechoic_V1_Start.mediaClock(.s16, reference: .stereoFloats)
    try await TestServer.run { server in
      for value in [Float.nan, .infinity, -.infinity, .signalingNaN] {
        let status = try await server.status(after: [
          .start(start),
          .with {
            $0.audio.microphone.samples = Data(count: 320)
            $0.audio.reference.samples = Data(encode([[0, 0], [0, value]], .f32))
          },
        ])
        try status.expect(.invalidArgument, field: "audio.reference.samples")
      }
    }
  }
}
