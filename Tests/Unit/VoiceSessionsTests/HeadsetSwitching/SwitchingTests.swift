import Testing

@testable import VoiceSessions

/// Tables of cases: what happens at a time, and who holds the headset then.
struct SwitchingTests {
  /// An event on a machine.
  enum Event: Sendable {
    case joins
    case plays
    case stops
    case calls
    case hangsUp
    case notifies
    case isChosen
    case isPinned
    case isReleased
    case losesConnection
    case leaves
    case cannotUseTheHeadset
    case nothing
  }

  struct Step: Sendable {
    let time: Double
    let machine: String
    let event: Event
    let holder: String?
    let effects: [String]

    /// - Parameter effects: Requests about media, such as `pause A` and `resume A`.
    init(
      _ time: Double, _ machine: String, _ event: Event, _ holder: String?, _ effects: String...
    ) {
      self.time = time
      self.machine = machine
      self.event = event
      self.holder = holder
      self.effects = effects
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [Step]
    var testDescription: String { name }

    init(_ name: String, _ steps: Step...) {
      self.name = name
      self.steps = steps
    }
  }

  /// All cases begin with the machines A, B and C, which can use the headset. A came first.
  static let cases = [
    Case("the first machine holds the headset", Step(1, "A", .nothing, "A")),
    Case("media takes an idle headset", Step(1, "B", .plays, "B")),
    Case(
      "media that starts later takes the headset",
      Step(1, "A", .plays, "A"), Step(10, "B", .plays, "B"), Step(20, "A", .nothing, "B")),
    Case(
      "of two claims at once the first to arrive wins, for good",
      Step(1, "B", .plays, "B"), Step(1, "C", .plays, "B"), Step(60, "A", .nothing, "B")),
    Case(
      "a claim within the hold time is refused",
      Step(1, "B", .plays, "B"), Step(2.9, "C", .plays, "B"), Step(30, "A", .nothing, "B")),
    Case(
      "a claim after the hold time wins",
      Step(1, "B", .plays, "B"), Step(3, "C", .plays, "C")),
    Case(
      "a refused claim gets the headset when the holder stops",
      Step(1, "B", .plays, "B"), Step(1, "C", .plays, "B"), Step(10, "B", .stops, "B"),
      Step(11.9, "A", .nothing, "B"), Step(12, "A", .nothing, "C")),
    Case(
      "a call takes the headset from media at once, and the end of the call gives it back",
      Step(1, "A", .plays, "A"), Step(1.1, "B", .calls, "B", "pause A"), Step(3, "A", .stops, "B"),
      Step(60, "B", .hangsUp, "B"), Step(62, "B", .nothing, "A", "resume A"),
      Step(63, "A", .plays, "A")),
    Case(
      "media does not take the headset from a call",
      Step(1, "B", .calls, "B"), Step(10, "A", .plays, "B")),
    Case(
      "the later of two calls takes the headset",
      Step(1, "B", .calls, "B"), Step(10, "C", .calls, "C")),
    Case(
      "a short break of a call resumes nothing",
      Step(1, "A", .plays, "A"), Step(5, "B", .calls, "B", "pause A"),
      Step(20, "B", .hangsUp, "B"), Step(21, "B", .calls, "B"), Step(60, "A", .nothing, "B")),
    Case(
      "a call pauses the media of every machine that plays, its own too",
      Step(1, "A", .plays, "A"), Step(10, "B", .plays, "B"),
      Step(20, "B", .calls, "B", "pause A", "pause B"), Step(22, "A", .stops, "B"),
      Step(22, "B", .stops, "B"), Step(40, "B", .hangsUp, "B"),
      Step(42, "C", .nothing, "B", "resume A", "resume B"), Step(43, "A", .plays, "B"),
      Step(43, "B", .plays, "B")),
    Case(
      "only media that was paused for the call resumes",
      Step(1, "A", .plays, "A"), Step(4, "A", .stops, "A"), Step(10, "B", .calls, "B"),
      Step(20, "B", .hangsUp, "B"), Step(22, "B", .nothing, "B")),
    Case(
      "media that a person starts during a call is not paused, and not resumed",
      Step(1, "A", .plays, "A"), Step(5, "B", .calls, "B", "pause A"), Step(7, "A", .stops, "B"),
      Step(10, "A", .plays, "B"), Step(12, "A", .stops, "B"), Step(20, "B", .hangsUp, "B"),
      Step(22, "B", .nothing, "B")),
    Case(
      "a call pauses media that was asked to resume and is not heard yet",
      Step(1, "A", .plays, "A"), Step(5, "B", .calls, "B", "pause A"), Step(7, "A", .stops, "B"),
      Step(20, "B", .hangsUp, "B"), Step(22, "B", .nothing, "A", "resume A"),
      Step(23, "B", .calls, "B", "pause A"), Step(40, "B", .hangsUp, "B"),
      Step(42, "B", .nothing, "A", "resume A"), Step(43, "A", .plays, "A")),
    Case(
      "a call does not pause media that was asked to resume and stayed silent",
      Step(1, "A", .plays, "A"), Step(5, "B", .calls, "B", "pause A"), Step(7, "A", .stops, "B"),
      Step(20, "B", .hangsUp, "B"), Step(22, "B", .nothing, "A", "resume A"),
      Step(28, "B", .calls, "B"), Step(40, "B", .hangsUp, "B"), Step(42, "B", .nothing, "B")),
    Case(
      "media that is paused for a call is paused for another one too, and resumes after both",
      Step(1, "A", .plays, "A"), Step(5, "A", .calls, "A", "pause A"), Step(7, "A", .stops, "A"),
      Step(10, "B", .calls, "B", "pause A"), Step(20, "A", .hangsUp, "B"),
      Step(30, "B", .hangsUp, "B"), Step(32, "B", .nothing, "A", "resume A")),
    Case(
      "media that sounded before a call and counts from then on is paused",
      Step(10, "B", .calls, "B"), Step(11.9, "A", .plays, "B", "pause A"),
      Step(14, "A", .stops, "B"), Step(20, "B", .hangsUp, "B"),
      Step(22, "B", .nothing, "A", "resume A")),
    Case(
      "media that starts with a call is not paused",
      Step(10, "B", .calls, "B"), Step(12, "A", .plays, "B")),
    Case(
      "resumed media that stays silent loses its claim",
      Step(1, "A", .plays, "A"), Step(5, "B", .calls, "B", "pause A"), Step(7, "A", .stops, "B"),
      Step(8, "C", .plays, "B"), Step(20, "B", .hangsUp, "B"),
      Step(22, "B", .nothing, "C", "resume A"), Step(60, "A", .nothing, "C")),
    Case(
      "the call that leaves resumes media",
      Step(1, "A", .plays, "A"), Step(5, "B", .calls, "B", "pause A"),
      Step(20, "B", .leaves, "A", "resume A")),
    Case(
      "a notification never takes the headset",
      Step(1, "A", .plays, "A"), Step(10, "B", .notifies, "A"), Step(20, "A", .stops, "A"),
      Step(30, "C", .notifies, "A")),
    Case(
      "media that pauses for a moment keeps the headset",
      Step(1, "A", .plays, "A"), Step(10, "A", .stops, "A"), Step(11, "A", .plays, "A"),
      Step(12.5, "B", .plays, "A")),
    Case(
      "without activity the last holder keeps the headset",
      Step(1, "B", .plays, "B"), Step(10, "B", .stops, "B"), Step(600, "A", .nothing, "B")),
    Case(
      "a pinned machine keeps the headset against a call",
      Step(1, "C", .isPinned, "C"), Step(10, "A", .plays, "C"),
      Step(20, "B", .calls, "C", "pause A"), Step(30, "C", .isReleased, "B")),
    Case(
      "a choice counts until it is pinned elsewhere",
      Step(1, "C", .isPinned, "C"), Step(2, "B", .isPinned, "B"), Step(3, "A", .calls, "B")),
    Case(
      "a pinned machine that leaves ends the choice",
      Step(1, "C", .isPinned, "C"), Step(10, "B", .plays, "C"), Step(20, "C", .leaves, "B")),
    Case(
      "a choice that is not pinned lasts until a later activity",
      Step(1, "A", .plays, "A"), Step(10, "B", .isChosen, "B"), Step(60, "A", .nothing, "B"),
      Step(70, "C", .plays, "C")),
    Case(
      "a machine keeps its place for a while after its connection was lost",
      Step(1, "A", .plays, "A"), Step(10, "A", .losesConnection, "A"),
      Step(19.9, "B", .nothing, "A"),
      Step(20, "B", .nothing, "B")),
    Case(
      "a machine that returns in time keeps the headset",
      Step(1, "B", .plays, "B"), Step(10, "B", .losesConnection, "B"), Step(19, "B", .joins, "B"),
      Step(60, "A", .nothing, "B")),
    Case(
      "a headset that is unplugged goes to another machine",
      Step(1, "B", .plays, "B"), Step(10, "B", .cannotUseTheHeadset, "A")),
    Case(
      "nobody holds a headset that no machine can use",
      Step(1, "A", .leaves, "B"), Step(2, "B", .leaves, "C"), Step(3, "C", .leaves, nil)),
  ]

  @Test(arguments: cases) func theHeadsetGoesToTheRightMachine(_ tested: Case) throws {
    var table = Table()
    for name in ["A", "B", "C"] { try table.perform(.joins, name, at: 0) }
    for step in tested.steps {
      let effects = try table.perform(step.event, step.machine, at: step.time)
      #expect(table.holder == step.holder, "\(tested.name), at \(step.time) s")
      #expect(effects == step.effects, "\(tested.name), at \(step.time) s")
    }
  }
}

/// A group whose time is a number of seconds.
struct Table {
  static let start = ContinuousClock.now
  var group = RoutingGroup()
  var activities: [String: Activity] = [:]

  var holder: String? { group.decisions.first { $0.headset == "headset" }?.holder?.machine }

  @discardableResult
  mutating func perform(
    _ event: SwitchingTests.Event, _ machine: String, at seconds: Double
  ) throws -> [String] {
    let now = Self.start + .seconds(seconds)
    // As the service does, all deadlines up to now pass one by one.
    var effects: [RoutingGroup.Effect] = []
    var time = Self.start
    while let deadline = group.deadline(after: time), deadline <= now {
      effects += group.advance(to: deadline)
      time = deadline
    }
    effects += try happen(event, machine, now)
    return effects.compactMap {
      switch $0 {
      case .pause(let machine, _): "pause \(machine)"
      case .resume(let machine): "resume \(machine)"
      case .decision: nil
      }
    }
  }

  private mutating func happen(
    _ event: SwitchingTests.Event, _ machine: String, _ now: ContinuousClock.Instant
  ) throws -> [RoutingGroup.Effect] {
    var activity = activities[machine] ?? Activity(headsets: ["headset"])
    switch event {
    case .joins:
      let effects = try group.register(machine, now: now)
      return try effects + group.update(machine, activity, now: now)
    case .plays: activity.playsMedia = true
    case .stops: activity.playsMedia = false
    case .calls: activity.hasOpenMicrophone = true
    case .hangsUp: activity.hasOpenMicrophone = false
    case .notifies: activity.playsNotification = true
    case .cannotUseTheHeadset: activity.headsets = []
    case .isChosen: return try group.choose(machine, for: "headset", isPinned: false, now: now)
    case .isPinned: return try group.choose(machine, for: "headset", isPinned: true, now: now)
    case .isReleased: return try group.release("headset", now: now)
    case .losesConnection: return group.lose(machine, now: now)
    case .leaves: return group.leave(machine, now: now)
    case .nothing: return group.advance(to: now)
    }
    activities[machine] = activity
    return try group.update(machine, activity, now: now)
  }
}
