import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestAudio
import Testing

/// Starts and packets of Opus that are not valid.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RefusedOpusTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let field: String
    let change: @Sendable (inout Anechoic_V1_Start) -> Void

    var testDescription: String { field }
  }

  private static let faults: [Fault] = [
    Fault(field: "start.inputs.microphone.sample_rate_hz") {
      $0.inputs.microphone.sampleRateHz = 44_100
    },
    Fault(field: "start.inputs.microphone.sample_rate_hz") {
      $0.inputs.microphone.sampleRateHz = 12_000
    },
    Fault(field: "start.inputs.far_end.sample_rate_hz") {
      $0.inputs.farEnd = $0.inputs.microphone
      $0.inputs.farEnd.sampleRateHz = 32_000
    },
    Fault(field: "start.inputs.microphone.channel_count") { $0.inputs.microphone.channelCount = 3 },
    Fault(field: "start.inputs.microphone.opus") { $0.inputs.microphone.opus = .init() },
    Fault(field: "start.outputs.processed.opus") {
      $0.outputs.processed.encoding = .pcmS16Le
      $0.outputs.processed.opus = .init()
    },
    Fault(field: "start.outputs.processed.opus.bit_rate") {
      $0.outputs.processed.opus.bitRate = 5999
    },
    Fault(field: "start.outputs.processed.opus.bit_rate") {
      $0.outputs.processed.opus.bitRate = .max
    },
    Fault(field: "start.outputs.processed.opus.complexity") {
      $0.outputs.processed.opus.complexity = 11
    },
    Fault(field: "start.outputs.processed.opus.expected_loss_percent") {
      $0.outputs.processed.opus.expectedLossPercent = 101
    },
    Fault(field: "start.outputs.chunk_duration") { $0.outputs.chunkDuration.nanos = 30_000_000 },
    Fault(field: "start.outputs.chunk_duration") { $0.outputs.chunkDuration.nanos = 120_000_000 },
  ]

  @Test func aWrongStartIsRefusedWithItsField() async throws {
    try await TestServer.run { server in
      for fault in Self.faults {
        let call = OpusCall(.hz16000)
        let start = Anechoic_V1_Start.mediaClock().with {
          $0.inputs.microphone = call.start.inputs.microphone
          $0.outputs.processed = call.start.inputs.microphone
          fault.change(&$0)
        }
        let status = try await server.status(after: [.start(start)])
        try status.expect(.invalidArgument, field: fault.field)
      }
      try await server.sessionsActive(become: 0)
    }
  }

  private static let packets: [[UInt8]] = [
    [3], [24 | 3, 3] + [UInt8](repeating: 0, count: 8), [UInt8](repeating: 3, count: 1_000_000), [],
  ]

  @Test func aPacketThatIsNoneEndsTheCallAndDisturbsNobody() async throws {
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        let start = OpusCall(.hz16000).start
        for packet in Self.packets {
          let status = try await server.status(after: [.start(start), .microphone(packet)])
          try status.expect(.invalidArgument, field: "audio.microphone.samples")
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }
}
