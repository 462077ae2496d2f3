import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// Responses of a broken or hostile server.
struct PossibleResponseTests {
  private static let far: [Int64] = [.min, .max, -(1 << 45), 1 << 45]

  @Test(arguments: far) func anIndexThatNoSessionCanReachIsRefused(index: Int64) {
    let responses: [Anechoic_V1_ProcessResponse] = [
      .with { $0.audio.processed.firstSample = index },
      .with { $0.audio.playback.firstSample = index },
      .with { $0.event.microphoneSample = index },
      .with { $0.controlResult.appliedAtSample = index },
      .with { $0.started.resumed.microphoneSample = index },
      .with { $0.started.resumed.processedSample = index },
      .with { $0.started.algorithmicDelay.seconds = index },
    ]
    for response in responses {
      #expect(throws: Status.self) { try response.check() }
    }
  }

  @Test func impossibleFormatsAndNamesAreRefused() {
    let responses: [Anechoic_V1_ProcessResponse] = [
      .with { $0.started.inputs.microphone.sampleRateHz = .max },
      .with { $0.started.outputs.processed.sampleRateHz = 200_000 },
      .with { $0.started.session = "sessions/\u{1b}[31m" },
      .with { $0.started.session = String(repeating: "a", count: 101) },
    ]
    for response in responses {
      #expect(throws: Status.self) { try response.check() }
    }
  }

  @Test func aDayAtTheHighestRateIsPossible() throws {
    let day: Int64 = 48_000 * 86_400
    try Anechoic_V1_ProcessResponse.with { $0.audio.processed.firstSample = day }.check()
    try Anechoic_V1_ProcessResponse.with { $0.event.microphoneSample = day }.check()
    try Anechoic_V1_ProcessResponse.with { $0.started.algorithmicDelay.nanos = 42_000_000 }.check()
  }
}
