import AudioCore
import TestAudio
import Testing
import VoiceSessions

/// Gaps that a client continues with chunks without samples.
struct OpenGapTests {
  private let frame = encode([Signals.noise(160)], .s16)

  @Test func timeAdvancesWithoutSamples() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    try run.send(microphone: frame)
    for index in 1...20 { try run.send(microphone: [], at: Int64(160 + index * 160), gap: .muted) }
    #expect(run.sink.processed.count >= 19 * 160 * 2)
  }

  @Test func theGapIsReportedOnceAtItsEnd() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    try run.send(microphone: frame)
    for index in 1...20 { try run.send(microphone: [], at: Int64(160 + index * 160), gap: .muted) }
    #expect(!run.sink.kinds.contains { if case .discontinuity = $0 { true } else { false } })
    try run.send(microphone: frame, at: 160 * 25, gap: .xrun)
    try run.send(microphone: frame)
    run.finish()
    #expect(
      run.sink.kinds.filter { if case .discontinuity = $0 { true } else { false } } == [
        .discontinuity(.microphone, .muted, missingSamples: 24 * 160)
      ])
  }

  @Test func theEndOfTheSessionIsTheEndOfTheGap() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    try run.send(microphone: frame)
    try run.send(microphone: [], at: 1600, gap: .deviceLost)
    run.finish()
    #expect(
      run.sink.kinds.suffix(2) == [
        .discontinuity(.microphone, .deviceLost, missingSamples: 1440), .ended(.clientClosed),
      ])
  }

  @Test func anOpenGapOfTheMicrophoneCausesNoWarning() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    try run.send(microphone: frame)
    for index in 1...600 { try run.send(microphone: [], at: Int64(160 + index * 160), gap: .muted) }
    #expect(!run.sink.kinds.contains(.captureWarning(.noSignal, isActive: true)))
  }

  @Test func anEmptyChunkWithoutAnIndexChangesNothing() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    #expect(throws: InputError.empty) { try run.send(microphone: []) }
  }
}
