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

  @Test func anotherFormatThanTheClientAsksForIsRefused() throws {
    let start = Anechoic_V1_Start.with {
      $0.outputs.processed = .with { ($0.encoding, $0.sampleRateHz) = (.pcmS16Le, 16_000) }
    }
    let changes: [@Sendable (inout Anechoic_V1_AudioFormat) -> Void] = [
      { $0.encoding = .pcmF32Le }, { $0.sampleRateHz = 48_000 },
    ]
    for change in changes {
      let started = Anechoic_V1_Started.with {
        $0.outputs.processed = start.outputs.processed
        change(&$0.outputs.processed)
      }
      #expect(throws: Status.self) { try started.check(answering: start) }
    }
    let started = Anechoic_V1_Started.with {
      $0.outputs.processed = start.outputs.processed
      $0.outputs.processed.channelCount = 1
    }
    try started.check(answering: start)
    try started.check(answering: Anechoic_V1_Start())
  }

  @Test(arguments: [(0, true), (300, true), (500, true), (501, false), (-1, false)])
  func aSampleThatWasNeverSentIsRefused(sample: Int64, isPossible: Bool) {
    let started = Anechoic_V1_Started.with { $0.resumed.microphoneSample = sample }
    for (sent, asked) in [(500, 200), (200, 500)] as [(Int64, Int64)] {
      let isBelieved = (try? started.checkResumption(sent: sent, asked: asked)) != nil
      #expect(isBelieved == isPossible)
    }
  }

  @Test func aDayAtTheHighestRateIsPossible() throws {
    let day: Int64 = 48_000 * 86_400
    try Anechoic_V1_ProcessResponse.with { $0.audio.processed.firstSample = day }.check()
    try Anechoic_V1_ProcessResponse.with { $0.event.microphoneSample = day }.check()
    try Anechoic_V1_ProcessResponse.with { $0.started.algorithmicDelay.nanos = 42_000_000 }.check()
  }
}
