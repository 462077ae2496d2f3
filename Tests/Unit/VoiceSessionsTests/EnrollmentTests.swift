import AudioCore
import Testing
import VoiceEngines

@testable import VoiceSessions

/// The voice that a session keeps, and its enrollment. The engine is scripted: frames above 0.05 are a
/// voice, and frames above 0.8 another one.
struct EnrollmentTests {
  private static let known = Voiceprint(encoder: "scripted", values: [0, 1])

  private func run(
    engine: any VoiceEngine.Type = EnrollingEngine.self,
    _ change: @escaping (inout SessionSetup) -> Void = { _ in }
  ) throws -> ScriptedRun {
    try ScriptedRun(ScriptedRun.setup(change), engine: engine)
  }

  private func changes(_ run: ScriptedRun) -> [SessionEvent.Kind] {
    run.kinds { if case .voiceEnrollmentChanged = $0 { true } else { false } }
  }

  private func warnings(_ run: ScriptedRun) -> [SessionEvent.Kind] {
    run.kinds { if case .captureWarning(.otherVoice, _) = $0 { true } else { false } }
  }

  private static let warned = SessionEvent.Kind.captureWarning(.otherVoice, isActive: true)
  private static let ended = SessionEvent.Kind.captureWarning(.otherVoice, isActive: false)

  private func engine(_ run: ScriptedRun) throws -> EnrollingEngine {
    try #require(run.session.capture.engine as? EnrollingEngine)
  }

  @Test func aVoiceIsLearntAndKept() throws {
    let run = try run()
    run.control(.enrollVoice)
    try run.send(frames: 310)
    #expect(
      changes(run) == [
        .voiceEnrollmentChanged(.enrolling, failure: nil),
        .voiceEnrollmentChanged(.enrolled, failure: nil),
      ])
    #expect(run.sink.voiceprints == [Voiceprint(encoder: "scripted", values: [1, 0])])
    #expect(run.session.learntVoiceprint == run.sink.voiceprints.first)
    #expect(run.session.state.voiceEnrollment == .enrolled)
    #expect(try engine(run).kept == [1, 0])
    #expect(try engine(run).enrollment == nil)
  }

  @Test func silenceDoesNotCount() throws {
    let run = try run { $0.enrollsVoice = true }
    #expect(run.session.state.voiceEnrollment == .enrolling)
    try run.send(frames: 290)
    try run.send(frames: 500, of: 0)
    #expect(run.sink.voiceprints.isEmpty)
    try run.send(frames: 20)
    #expect(run.sink.voiceprints.count == 1)
  }

  @Test func anEnrollmentOfSeveralVoicesFails() throws {
    let run = try run { $0.voiceprint = Self.known }
    run.control(.enrollVoice)
    for _ in 0..<100 {
      try run.send(frames: 3, of: 0.9)
      try run.send(frames: 3, of: 0.5)
    }
    #expect(changes(run).last == .voiceEnrollmentChanged(.enrolled, failure: .severalVoices))
    #expect(run.sink.voiceprints.isEmpty)
    #expect(try engine(run).kept == Self.known.values)
  }

  @Test func anEnrollmentWithoutAVoiceFailsAfterAMinute() throws {
    let run = try run { $0.enrollsVoice = true }
    try run.send(frames: 150)
    try run.send(frames: 5_900, of: 0)
    #expect(changes(run) == [.voiceEnrollmentChanged(.none, failure: .tooLittleVoice)])
    #expect(run.session.state.voiceEnrollment == .none)
  }

  @Test(arguments: [(250, 1), (100, 0)])
  func theEndOfASessionEndsAnEnrollment(frames: Int, voiceprints: Int) throws {
    let run = try run { $0.enrollsVoice = true }
    try run.send(frames: frames)
    run.finish()
    #expect(run.sink.voiceprints.count == voiceprints)
    #expect(changes(run).count == 1)
  }

  @Test func aVoiceIsForgotten() throws {
    let run = try run { $0.voiceprint = Self.known }
    #expect(run.session.usesVoiceprint)
    #expect(run.session.state.voiceEnrollment == .enrolled)
    run.control(.voiceprint(nil))
    try run.send(frames: 1)
    #expect(changes(run) == [.voiceEnrollmentChanged(.none, failure: nil)])
    #expect(try engine(run).kept == nil)
  }

  @Test func aVoiceprintReplacesAnEnrollment() throws {
    let run = try run { $0.enrollsVoice = true }
    try run.send(frames: 100)
    run.control(.voiceprint(Self.known))
    try run.send(frames: 400)
    #expect(run.sink.voiceprints.isEmpty)
    #expect(changes(run) == [.voiceEnrollmentChanged(.enrolled, failure: nil)])
    #expect(try engine(run).kept == Self.known.values)
  }

  @Test func aDeviceThatHasLearntAnotherPersonIsNoticed() throws {
    let run = try run {
      $0.voiceprint = Self.known
      $0.configuration.preferredMicMode = .voiceIsolation
    }
    try run.send(frames: 990, of: 0.9)
    #expect(warnings(run).isEmpty)
    try run.send(frames: 100, of: 0.9)
    #expect(warnings(run) == [Self.warned])
    #expect(run.session.state.problems.contains(.otherVoice))
    try run.send(frames: 150)
    #expect(warnings(run) == [Self.warned, Self.ended])
    #expect(!run.session.state.problems.contains(.otherVoice))
  }

  @Test func theWarningEndsWithTheEnrollmentAndTheMicMode() throws {
    let changes: [(ScriptedRun) -> Void] = [
      { $0.control(.voiceprint(nil)) }, { $0.control(.voiceprint(Self.known)) },
      { $0.configure { $0.preferredMicMode = .standard } },
    ]
    for change in changes {
      let run = try run {
        $0.voiceprint = Self.known
        $0.configuration.preferredMicMode = .voiceIsolation
      }
      try run.send(frames: 1_100, of: 0.9)
      change(run)
      try run.send(frames: 20, of: 0.9)
      #expect(warnings(run) == [Self.warned, Self.ended])
    }
  }

  @Test func withoutIsolationOrEnrollmentNothingIsToldAboutVoices() throws {
    let standard = try run { $0.voiceprint = Self.known }
    let nearest = try run { $0.configuration.preferredMicMode = .voiceIsolation }
    for run in [standard, nearest] {
      try run.send(frames: 1_500, of: 0.9)
      #expect(warnings(run).isEmpty)
    }
  }

  @Test func aVoiceprintOfAnotherEncoderIsNotUsed() throws {
    let other = Voiceprint(encoder: "other", values: [0, 1])
    let run = try run { $0.voiceprint = other }
    #expect(!run.session.usesVoiceprint)
    #expect(run.session.state.voiceEnrollment == .none)
    run.control(.voiceprint(other))
    try run.send(frames: 1)
    #expect(run.sink.results.last?.refusal?.reason == "INVALID_FIELD")
  }

  @Test func anEngineThatLearnsNoVoiceRefuses() throws {
    let run = try run(engine: ScriptedEngine.self) { $0.voiceprint = Self.known }
    #expect(!run.session.usesVoiceprint)
    run.control(.enrollVoice)
    try run.send(frames: 1)
    #expect(run.sink.results.last?.refusal?.kind == .unsupported)
  }

  @Test func aClientWithoutTheScopeIsRefused() throws {
    let run = try run { $0.allowsEnrollment = false }
    run.control(.enrollVoice)
    run.control(.voiceprint(nil))
    try run.send(frames: 1)
    #expect(run.sink.results.map(\.refusal?.reason) == ["SCOPE_MISSING", "SCOPE_MISSING"])
    #expect(changes(run).isEmpty)
  }

  @Test(arguments: [(true, false), (false, true)])
  func theRightOfTheClientThatResumesCounts(before: Bool, after: Bool) throws {
    let run = try run { $0.allowsEnrollment = before }
    run.session.suspend(waitingFor: .seconds(10), sink: run.sink)
    run.session.resume(at: nil, allowsEnrollment: after, sink: run.sink)
    run.control(.enrollVoice)
    try run.send(frames: 1)
    #expect(run.sink.results.map(\.refusal?.reason) == [after ? nil : "SCOPE_MISSING"])
    run.session.suspend(waitingFor: .seconds(10), sink: run.sink)
    run.session.resume(at: nil, allowsEnrollment: nil, sink: run.sink)
    run.control(.enrollVoice)
    try run.send(frames: 1)
    #expect(run.sink.results.last?.refusal?.reason == (after ? nil : "SCOPE_MISSING"))
  }
}

/// An engine whose encoder counts the frames of two voices.
private final class EnrollingEngine: ScriptedEngine, EnrollmentEngine {
  static let encoder = "scripted"
  static let voiceprintLength = 2
  static let enrollmentFrames = 200...500

  private(set) var kept: [Float]?
  private var counts: (one: Int, other: Int)?
  private(set) var likeness: Float?

  func isolate(_ voiceprint: [Float]?) { kept = voiceprint }
  func beginEnrollment() { counts = (0, 0) }
  func endEnrollment() { counts = nil }

  var enrollment: EnrollmentProgress? {
    guard let (one, other) = counts else { return nil }
    let frames = one + other
    return EnrollmentProgress(
      frames: frames, consistency: Float(abs(one - other)) / Float(max(frames, 1)))
  }

  var enrolledVoiceprint: [Float] { [1, 0] }

  override func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    let findings = super.process(
      microphone: microphone, reference: reference, conditions: conditions, into: output)
    likeness = findings.hasVoice ? (output.peak > 0.8 ? 0 : 1) : nil
    if findings.hasVoice {
      if output.peak > 0.8 { counts?.other += 1 } else { counts?.one += 1 }
    }
    return findings
  }
}
