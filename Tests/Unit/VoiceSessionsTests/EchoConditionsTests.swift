import AcousticSimulator
import AudioCore
import TestAudio
import Testing
import VoiceEngines

@testable import VoiceSessions

/// The conditions that an engine is told with each frame.
struct EchoConditionsTests {
  @Test func aReferenceThatHasNotArrivedIsMissingAndASilentOneIsNot() throws {
    let run = try ScriptedRun(Self.withReference, engine: WitnessEngine.self)
    // The last frames wait for their reference.
    for _ in 0..<30 { try run.send(Signals.noise(160)) }
    let waited = try Self.conditions(run)
    #expect(waited.count > 20 && waited.allSatisfy { $0.isReferenceMissing })
    let other = try ScriptedRun(Self.withReference, engine: WitnessEngine.self)
    for _ in 0..<20 { try other.send(Signals.noise(160), reference: Signals.silence(160)) }
    let silent = try Self.conditions(other)
    #expect(silent.count == 20 && silent.allSatisfy { !$0.isReferenceMissing })
  }

  @Test func aGapOfTheMicrophoneIsToldWithTheFadeAfterIt() throws {
    let run = try ScriptedRun(Self.withReference, engine: WitnessEngine.self)
    func send(_ frames: Int, at sample: Int64? = nil) throws {
      for frame in 0..<frames {
        try run.send(
          Signals.noise(160), reference: Signals.silence(160), at: frame == 0 ? sample : nil)
      }
    }
    try send(10)
    // 20 ms are missing, and the 5 ms after them fade in.
    try send(5, at: 1920)
    // 1 sample is missing.
    try send(5, at: 1920 + 801)
    run.finish()
    let concealed = try Self.conditions(run).enumerated().filter(\.element.isMicrophoneConcealed)
    #expect(concealed.map(\.offset) == [10, 11, 12, 17])
  }

  @Test func concealedSamplesComeToTheEngineAsLateAsTheMicrophone() {
    var spans = ConcealedSpans(frameSize: 160, delay: 80)
    spans.add(320..<400)
    spans.add(400..<400)
    spans.add(1000..<1001)
    let reached = (0..<8).map { _ in spans.reachNextFrame() }
    // The third frame contains the samples from 240 to 400.
    #expect(reached == [false, false, true, false, false, false, true, false])
  }

  @Test func theMoveThatBringsTheReferenceToItsEchoIsTold() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3) { $0.jumps = [(5, 0.2)] }, farEnd: try await Voices.far(seconds: 9),
      engine: WitnessEngine.self)
    try run.run()
    let paths = try Self.conditions(of: run.session).map(\.path)
    let moves = paths.indices.filter { if case .moved = paths[$0] { true } else { false } }
    let (found, followed) = (try #require(moves.first), try #require(moves.last))
    #expect(moves.count == 2 && found < 300 && (500..<600).contains(followed), "\(moves)")
    #expect(paths[..<found].allSatisfy { $0 == .unknown })
    for (frame, seconds) in [(found, 0.3), (followed, 0.2)] {
      guard case .moved(let samples) = paths[frame] else { continue }
      #expect(abs(Double(samples) - seconds * 16000) < 32, "\(samples)")
    }
    let others = paths[found...].indices.filter { !moves.contains($0) }
    #expect(others.allSatisfy { paths[$0] == .steady })
  }

  @Test func anEchoThatIsFoundWhereItIsExpectedMovesNothing() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.01), farEnd: try await Voices.far(seconds: 4),
      engine: WitnessEngine.self)
    try run.run()
    let paths = try Self.conditions(of: run.session).map(\.path)
    let found = try #require(paths.firstIndex(of: .steady))
    #expect(paths[..<found].allSatisfy { $0 == .unknown })
    #expect(paths[found...].allSatisfy { $0 == .steady })
  }

  /// The devices may buffer more than in the session from which the path comes.
  @Test func anExpectedLagCountsOnceTheEchoIsHeard() async throws {
    let expected = EchoPath(
      rate: .hz16000, channelCount: 1, lag: .milliseconds(60), held: .milliseconds(40),
      responses: [0])
    let run = try EchoRun(
      EchoRun.scene(lag: 0.12), farEnd: try await Voices.far(seconds: 4),
      engine: WitnessEngine.self
    ) { $0.echoPathHint = expected }
    #expect(run.session.usesEchoPathHint)
    try run.run()
    let paths = try Self.conditions(of: run.session).map(\.path)
    let found = try #require(paths.firstIndex { $0 != .unknown })
    guard case .moved(let samples) = paths[found] else {
      Issue.record("\(paths[found])")
      return
    }
    #expect(abs(samples - 960) < 32, "\(samples)")
    #expect(paths[(found + 1)...].allSatisfy { $0 == .steady })
  }

  @Test func aReportedStepOfThePlaybackMovesNothing() async throws {
    let scene = EchoRun.scene(lag: 0.3) {
      $0.jumps = [(5.085, 0.1)]
      $0.silences = [5.085..<5.185]
    }
    let run = try EchoRun(
      scene, farEnd: try await Voices.far(seconds: 8), from: .playback, engine: WitnessEngine.self)
    run.tellTimes()
    // The first frame whose report is about a sample after the step.
    let first = 513
    try run.run { frame in
      guard !(503..<first).contains(frame) else { return }
      try run.reportPlayback(
        at: frame, ahead: 0.06, isDue: frame == first, silence: frame == first ? 1600 : 0)
    }
    #expect(run.echoPaths.contains { $0.at > 5 && abs($0.milliseconds - 400) < 6 })
    let paths = try Self.conditions(of: run.session).map(\.path)
    #expect(paths[400...].allSatisfy { $0 == .steady }, "\(Set(paths[400...].map { "\($0)" }))")
  }

  @Test func aNewRouteIsANewPath() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 8), engine: WitnessEngine.self)
    try run.run { frame in
      if frame == 600 { run.route(to: "hdmi") }
    }
    let paths = try Self.conditions(of: run.session).map(\.path)
    #expect(paths.indices.filter { paths[$0] == .new } == [600])
    #expect(paths[599] == .steady && paths[601] == .unknown && paths.last == .steady)
  }

  @Test func theResidualEchoOfTheEngineIsInTheStatistics() throws {
    let run = try ScriptedRun(Self.withReference, engine: WitnessEngine.self)
    try run.send(Signals.noise(160), reference: Signals.silence(160))
    #expect(run.session.statistics.residualEcho == WitnessEngine.residualEcho)
    let other = try ScriptedRun()
    try other.send(frames: 1)
    #expect(other.session.statistics.residualEcho == nil)
  }

  private static let withReference = ScriptedRun.setup {
    $0.reference = .f32(ScriptedRun.rate)
    $0.playback = nil
    $0.farEnd = nil
    $0.otherAudio = nil
  }

  private static func conditions(_ run: ScriptedRun) throws -> [EchoConditions] {
    try conditions(of: run.session)
  }

  private static func conditions(of session: VoiceSession) throws -> [EchoConditions] {
    try #require(session.capture.engine as? WitnessEngine).conditions
  }
}

/// An engine that keeps the conditions of each frame.
private final class WitnessEngine: ScriptedEngine {
  static let residualEcho: Float = 0.25

  private(set) var conditions: [EchoConditions] = []

  override func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    self.conditions.append(conditions)
    var findings = super.process(
      microphone: microphone, reference: reference, conditions: conditions, into: output)
    findings.residualEcho = Self.residualEcho
    return findings
  }
}

extension WitnessEngine: EchoPathEngine {
  static func longestResponse(_ format: EngineFormat) -> Int { 1 }
  var echoResponses: [Float] { [0] }
  func begin(withEchoResponses responses: [Float]) {}
}
