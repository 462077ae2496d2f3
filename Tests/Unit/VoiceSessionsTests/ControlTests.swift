import AudioCore
import TestAudio
import Testing
import VoiceSessions

struct ControlTests {
  private let frame = encode([Signals.noise(160)], .s16)

  @Test func aControlTakesEffectAtItsSample() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    run.session.submit(mode(.wideSpectrum, id: 1, at: 200), sink: run.sink)
    run.session.submit(mode(.voiceIsolation, id: 2, at: nil), sink: run.sink)
    for _ in 0..<4 { try run.send(microphone: frame) }
    #expect(
      run.sink.results == [
        ControlResult(id: 2, appliedAtSample: 0, refusal: nil),
        ControlResult(id: 1, appliedAtSample: 200, refusal: nil),
      ])
    #expect(run.session.state.configuration.preferredMicMode == .wideSpectrum)
    #expect(
      run.sink.kinds.contains(
        .micModeChanged(preferred: .wideSpectrum, active: .wideSpectrum, reason: nil)))
    #expect(run.sink.events.map(\.id) == Array(1...UInt64(run.sink.events.count)))
  }

  @Test func aRefusedControlChangesNothing() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    let refusal = Refusal(.invalid, reason: "NO", message: "no")
    run.session.submit(
      SessionControl(
        id: 7, by: .mediaClient, .configuration { _ throws(Refusal) in throw refusal }),
      sink: run.sink)
    try run.send(microphone: frame)
    #expect(run.sink.results == [ControlResult(id: 7, appliedAtSample: 0, refusal: refusal)])
    #expect(run.sink.events.isEmpty)
  }

  @Test func tooManyWaitingControlsAreRefused() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    for id in 1...300 {
      run.session.submit(mode(.standard, id: UInt64(id), at: 1_000_000), sink: run.sink)
    }
    #expect(run.sink.results.count == 300 - 64)
    #expect(run.sink.results.allSatisfy { $0.refusal?.reason == "TOO_MANY_CONTROLS" })
    try run.send(microphone: frame)
    run.finish()
    #expect(run.sink.results.count == 300)
    #expect(run.sink.results.last?.refusal?.reason == "SESSION_ENDED")
    #expect(run.sink.processed.count == 320)
  }

  @Test func aChangeInTheMiddleKeepsTheTimeline() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    for index in 0..<20 {
      if index == 10 {
        run.session.submit(mode(.wideSpectrum, id: 1, at: nil), sink: run.sink)
      }
      try run.send(microphone: frame)
    }
    run.finish()
    #expect(run.sink.processed.count == 20 * 320)
    #expect(run.sink.firstSamples == (0..<20).map { $0 * 160 })
  }

  private func mode(_ mode: MicMode, id: UInt64, at sample: Int64?) -> SessionControl {
    SessionControl(
      id: id, atSample: sample, by: .mediaClient, .edit { $0.preferredMicMode = mode })
  }
}
