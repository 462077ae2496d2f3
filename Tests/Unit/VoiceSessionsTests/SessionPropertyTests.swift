import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// Random sequences of actions, after each of which the session keeps its promises.
struct SessionPropertyTests {
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func aSessionKeepsItsPromisesWhateverHappens(seed: UInt64) throws {
    var life = try SessionLife(seed: seed)
    for _ in 0..<4000 { try life.step() }
    life.run.finish()
    life.follow()
    #expect(life.violations.isEmpty)
    // A run without events would prove nothing.
    #expect(life.mirror.turns.count > 80 && life.mirror.askedGestures.count > 30)
    #expect(life.mirror.endedInjections.count > 20)
    checkOutputs(life)
    // Gestures that still wait at the end are not resolved. All others are resolved once.
    let resolved = life.mirror.askedGestures.values
    #expect(resolved.allSatisfy { $0 <= 1 })
    #expect(resolved.filter { $0 == 0 }.count <= MuteGestures.mostPending)
    #expect(life.mirror.endedInjections == life.begunInjections)
    #expect(
      life.run.sink.results.map(\.id).sorted() == Array(1...UInt64(life.run.sink.results.count)))
  }

  private func checkOutputs(_ life: SessionLife) {
    let (processed, playback) = (life.run.processed, life.run.playback)
    #expect(processed.count == life.samplesSent && playback.count == life.samplesSent)
    var turns = life.mirror.turns[...]
    var (isMuted, wrong) = (false, [Int]())
    for index in processed.indices {
      while let turn = turns.first, turn.sample + Int64(ScriptedRun.latency) <= Int64(index) {
        isMuted = turn.isMuted
        turns = turns.dropFirst()
      }
      if isMuted ? processed[index] != 0 : abs(processed[index]) > 1 { wrong.append(index) }
    }
    #expect(wrong.isEmpty)
    #expect(playback.allSatisfy { abs($0) <= 1 })
    #expect(processed.contains { $0 != 0 })
  }
}

/// A session with random actions.
private struct SessionLife {
  let run: ScriptedRun
  private(set) var mirror: SessionMirror
  private(set) var violations: [String] = []
  private(set) var samplesSent = 0
  private(set) var begunInjections: Set<String> = []
  private var random: SeededGenerator
  private var followed = 0
  private var (isNearTalking, isFarTalking) = (false, false)
  private var presses = 0
  private var openInjections: [String] = []

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    run = try ScriptedRun(
      ScriptedRun.setup {
        $0.configuration.mute.gesturePolicy = .ask
        $0.configuration.acceptsInjection = true
        $0.configuration.ducking.isAdvanced = true
      })
    mirror = SessionMirror(run.session.state)
    try run.permitInjection(by: "bot")
  }

  /// Performs a random action or none, then sends audio, usually one frame.
  mutating func step() throws {
    if !run.session.controls.interruptions.isEmpty, random.happens(onceIn: 5) {
      run.report(.interruption(.ended(nil, shouldResume: true)))
    }
    switch Int.random(in: 0..<24, using: &random) {
    case 0: mute()
    case 1: try press()
    case 2: decide()
    case 3: configure()
    case 4: beginInjection()
    case 5, 6: feedInjection()
    case 7: endInjection()
    case 8: isNearTalking.toggle()
    case 9: isFarTalking.toggle()
    case 10: run.control(.clearPlayback)
    case 11: decidePermission()
    case 12: report()
    default: break
    }
    follow()
    let count = random.happens(onceIn: 10) ? Int.random(in: 1...500, using: &random) : 160
    let near: Float = isNearTalking ? 0.4 : 0.01
    let far: Float = isFarTalking ? 0.4 : 0.01
    samplesSent += count
    try run.send(
      [Float](repeating: near, count: count), farEnd: [Float](repeating: far, count: count),
      otherAudio: [Float](repeating: 0.5, count: count))
    follow()
  }

  /// Takes in the session's new events, and compares them with the session's state.
  mutating func follow() {
    for event in run.sink.events[followed...] { mirror.accept(event) }
    followed = run.sink.events.count
    if mirror.state != run.session.state {
      violations.append("the state at event \(followed) is not what the events say")
    }
    violations += mirror.violations
  }

  private mutating func mute() {
    let generation = run.session.state.mute.generation
    let expected =
      random.happens(onceIn: 3)
      ? generation - min(generation, random.happens(onceIn: 2) ? 1 : 0) : nil
    run.control(
      .mute(.random(using: &random), ifGeneration: expected), at: sometime(),
      by: random.happens(onceIn: 2) ? .headset : .mediaClient)
  }

  private mutating func press() throws {
    if !random.happens(onceIn: 4) { presses += 1 }
    do throws(Refusal) {
      try run.press(
        "\(presses)", mutes: random.happens(onceIn: 2) ? .random(using: &random) : nil,
        isInputRunning: !random.happens(onceIn: 50))
    } catch {
      if error.kind != .tooMany { violations.append(error.message) }
    }
  }

  private mutating func report() {
    if random.happens(onceIn: 2) {
      let ports = (0..<2).map { AudioPort(id: "\($0)", isHeadphones: $0 == 1) }
      let current =
        random.happens(onceIn: 4) ? nil : AudioRoute(output: ports.randomElement(using: &random))
      run.report(.route(RouteChange(reason: .noSuitableRoute, current: current)))
    } else {
      let reason = Interruption.Reason.allCases.randomElement(using: &random) ?? .suspended
      run.report(.interruption(.began(reason)))
    }
  }

  private mutating func decide() {
    let id = presses - Int.random(in: 0...2, using: &random)
    run.control(.gestureDecision(id: "\(id)", accept: .random(using: &random)), at: sometime())
  }

  private mutating func decidePermission() {
    run.control(
      .injectionPermission(client: "bot", grant: !random.happens(onceIn: 3)), at: sometime())
  }

  private mutating func configure() {
    let policy = SessionConfiguration.GesturePolicy.allCases.randomElement(using: &random) ?? .ask
    let level = SessionConfiguration.Ducking.Level.allCases.randomElement(using: &random) ?? .mid
    let mode = MicMode.allCases.randomElement(using: &random) ?? .standard
    let timeout = Duration.milliseconds(Int.random(in: 0...800, using: &random))
    let flags = (0..<6).map { _ in Bool.random(using: &random) }
    let acceptsInjection = !random.happens(onceIn: 4)
    run.configure {
      $0.mute.gesturePolicy = policy
      $0.mute.decisionTimeout = timeout
      $0.mute.rejectsOnTimeout = flags[0]
      $0.mute.detectsMutedTalker = flags[1]
      $0.mute.soundsChime = flags[2]
      $0.voiceActivity.isEnabled = flags[3]
      $0.voiceActivity.isFarEndEnabled = flags[4]
      $0.ducking.isAdvanced = flags[5]
      $0.ducking.level = level
      $0.preferredMicMode = mode
      $0.acceptsInjection = acceptsInjection
    }
  }

  private mutating func beginInjection() {
    let id = "injection \(begunInjections.count)"
    do throws(Refusal) {
      try run.session.beginInjection(id, by: "bot")
      begunInjections.insert(id)
      openInjections.append(id)
      run.inject(0.3, frames: .random(in: 0...20, using: &random), into: id)
    } catch {
      let isExpected = [.unavailable, .tooMany].contains(error.kind)
      if !isExpected { violations.append(error.message) }
    }
  }

  private mutating func feedInjection() {
    guard let id = openInjections.randomElement(using: &random) else { return }
    run.inject(0.3, frames: .random(in: 1...20, using: &random), into: id)
  }

  private mutating func endInjection() {
    guard let index = openInjections.indices.randomElement(using: &random) else { return }
    let id = openInjections.remove(at: index)
    if random.happens(onceIn: 2) {
      run.session.cancelInjection(id, sink: run.sink)
    } else {
      run.session.completeInjection(id)
    }
  }

  /// Returns nil, a past sample, or a sample in the near future.
  private mutating func sometime() -> Int64? {
    guard random.happens(onceIn: 2) else { return nil }
    return max(0, run.session.position + Int64.random(in: -200...2000, using: &random))
  }
}
