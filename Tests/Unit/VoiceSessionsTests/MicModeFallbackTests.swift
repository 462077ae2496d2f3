import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

struct MicModeFallbackTests {
  private let frame = encode([Signals.noise(160)], .f32)

  @Test func anUnsupportedModeFallsBackAndIsReportedOnceAtTheStart() throws {
    var setup = SessionSetup(microphone: .f32(.hz16000))
    setup.configuration.preferredMicMode = .voiceIsolation
    let run = try SessionRun(setup, engine: PlainEngine.self)
    #expect(run.session.state.activeMicMode == .standard)
    for _ in 0..<10 { try run.send(microphone: frame) }
    #expect(
      run.sink.kinds == [
        .micModeChanged(preferred: .voiceIsolation, active: .standard, reason: .unsupportedFormat)
      ])
    #expect(run.session.state.configuration.preferredMicMode == .voiceIsolation)
    #expect(MicMode.Fallback.unsupportedFormat.rawValue == "UNSUPPORTED_FORMAT")
  }

  @Test func aLiveChangeReportsWhyAnotherModeRuns() throws {
    let run = try SessionRun(SessionSetup(microphone: .f32(.hz16000)), engine: PlainEngine.self)
    try run.send(microphone: frame)
    for (id, mode) in [(1, .voiceIsolation), (2, .wideSpectrum)] as [(UInt64, MicMode)] {
      run.session.submit(
        SessionControl(id: id, by: .mediaClient, .edit { $0.preferredMicMode = mode }),
        sink: run.sink)
    }
    let modes = run.sink.kinds.filter { if case .micModeChanged = $0 { true } else { false } }
    #expect(
      modes == [
        .micModeChanged(preferred: .voiceIsolation, active: .standard, reason: .unsupportedFormat),
        .micModeChanged(preferred: .wideSpectrum, active: .wideSpectrum, reason: nil),
      ])
    #expect(run.session.state.activeMicMode == .wideSpectrum)
  }

  @Test func aSupportedModeIsNotReportedAtTheStart() throws {
    var setup = SessionSetup(microphone: .f32(.hz16000))
    setup.configuration.preferredMicMode = .voiceIsolation
    let run = try SessionRun(setup, engine: ScriptedEngine.self)
    try run.send(microphone: frame)
    #expect(run.sink.kinds.isEmpty && run.session.state.activeMicMode == .voiceIsolation)
  }
}
