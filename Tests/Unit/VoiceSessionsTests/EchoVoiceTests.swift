import AcousticSimulator
import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// Voice detection with echo, missing references and two voices.
struct EchoVoiceTests {
  @Test(arguments: [0.06, 0.3, 0.8], [false, true])
  func theFarEndAloneStartsNoVoiceActivity(lag: Double, hasTimes: Bool) async throws {
    let scene = EchoRun.scene(lag: lag)
    let farEnd = try await Voices.far(seconds: 10)
    let run = try EchoRun(scene, farEnd: farEnd)
    if hasTimes { run.tellTimes() }
    try run.run()
    #expect(run.voiceStarts.isEmpty, "\(run.voiceStarts)")
    // The voice that is found without a reference.
    let unaided = try EchoRun(scene, farEnd: farEnd, from: .none)
    try unaided.run()
    #expect((unaided.voiceStarts.first ?? 9) < 2)
  }

  @Test(arguments: [0.18, -0.12, 0.03, 0.4], [6, 6.5, 7.2])
  func anEchoThatJumpsIsHardlyEverAVoice(jump: Double, time: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) { $0.jumps = [(time, jump)] },
      farEnd: try await Voices.far(seconds: 12))
    try run.run()
    let found = run.voiceShare(time..<(time + 3)) * 3
    // A short jump stays within the filter, which has to learn it anew.
    #expect(found < (jump == 0.03 ? 1.2 : 0.45), "\(found) s of voice, \(run.voiceStarts)")
  }

  @Test func aPersonWhoTalksWhileTheEchoJumpsStaysAVoice() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) { $0.jumps = [(8, 0.18)] },
      farEnd: try await Voices.far(seconds: 12), near: try await Voices.near(after: 6))
    try run.run()
    let alone = try EchoRun(
      EchoRun.scene(lag: 0.2) { $0.echoReturnLoss = 200 },
      farEnd: try await Voices.far(seconds: 12), near: try await Voices.near(after: 6), from: .none)
    try alone.run()
    let (found, possible) = (run.voiceShare(7.5..<10), alone.voiceShare(7.5..<10))
    #expect(found > 0.6 * possible, "\(found) of \(possible)")
  }

  @Test func theFarEndAloneDoesNotCountAsMutedTalker() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 8),
      near: try await Voices.near(after: 6)
    ) {
      $0.startsMuted = true
    }
    try run.run()
    let told = run.sink.events.filter { if case .mutedSpeech = $0.kind { true } else { false } }
    #expect(told.first?.kind == .mutedSpeech(isActive: true))
    #expect((told.first?.microphoneSample ?? 0) > 6 * 16000)
    let isSilent = run.output.allSatisfy { $0 == 0 }
    #expect(isSilent)
  }

  @Test(arguments: [0.02, 0.3, 0.8])
  func aVoiceOverTheEchoIsFoundOnceTheEchoGoes(lag: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: lag), farEnd: try await Voices.far(seconds: 12),
      near: try await Voices.near(after: 6))
    try run.run()
    #expect(run.voiceStarts.first.map { (5.9..<7).contains($0) } == true, "\(run.voiceStarts)")
    let alone = try EchoRun(
      EchoRun.scene(lag: lag) { $0.echoReturnLoss = 200 },
      farEnd: try await Voices.far(seconds: 12), near: try await Voices.near(after: 6), from: .none)
    try alone.run()
    let (found, possible) = (run.voiceShare(6..<10), alone.voiceShare(6..<10))
    #expect(found > 0.6 * possible, "\(found) of \(possible)")
  }

  @Test func aVoiceIsFoundAtOnceWhileTheFarEndIsSilent() async throws {
    let silence = [Float](repeating: 0, count: 4 * Voices.rate.hertz)
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3), farEnd: silence, near: try await Voices.near(after: 0.5))
    try run.run()
    #expect((run.voiceStarts.first ?? 9) < 1, "\(run.voiceStarts)")
  }

  @Test(arguments: [0.04, 0.2, 0.6])
  func halfASecondOfMissingReferenceIsConcealed(lag: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: lag), farEnd: try await Voices.far(seconds: 14))
    // The time when the echo of the lost reference has passed, and one second more.
    let recovered = 8.5 + lag + 1
    for frame in 0..<run.frameCount {
      if !(800..<850).contains(frame) {
        try run.sendReference(frame, gap: frame == 850 ? .xrun : .unspecified)
      }
      try run.sendMicrophone(frame)
    }
    run.session.finish(.clientClosed, sink: run.sink)
    #expect(run.sink.processed.count == run.recording.microphone.count * 4)
    #expect(run.excess(7.5..<11) < 1, "\(run.excess(7.5..<11))")
    #expect(
      run.sink.kinds.filter { if case .discontinuity = $0 { true } else { false } }
        == [.discontinuity(.reference, .xrun, missingSamples: 8000)])
    #expect(run.reduction(recovered..<14) > 25, "\(run.reduction(recovered..<14))")
    #expect(run.session.statistics.flow.samplesConcealed == 8000)
    #expect(run.session.statistics.hasConverged)
    #expect(run.echoPaths.count == 2, "\(run.echoPaths)")
  }

  @Test func aReferenceThatNeverComesCausesAWarningAndBlocksNothing() async throws {
    let run = try EchoRun(EchoRun.scene(lag: 0.2), farEnd: try await Voices.far(seconds: 5))
    for frame in 0..<run.frameCount { try run.sendMicrophone(frame) }
    run.session.finish(.clientClosed, sink: run.sink)
    #expect(run.sink.processed.count == run.recording.microphone.count * 4)
    #expect(run.excess(0.5..<5) < 1)
    #expect(run.warnings(.noReference) == [.captureWarning(.noReference, isActive: true)])
    #expect(run.session.statistics.flow.referenceFramesMissing == 500)
    #expect(run.echoPaths.isEmpty)
  }
}
