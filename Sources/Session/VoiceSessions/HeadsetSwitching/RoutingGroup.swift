/// The machines and the headsets of one person. A state machine without I/O: an event goes in, effects come
/// out. Events count in the order in which they come.
public struct RoutingGroup: Sendable {
  public typealias Instant = ContinuousClock.Instant

  /// The holder of a headset.
  public struct Decision: Sendable, Equatable {
    public var headset: String
    /// Nil if no machine can use the headset.
    public var holder: HeadsetPolicy.Holder?
    public var generation: UInt64
    public var isChosen: Bool
  }

  /// A message to a machine.
  public enum Effect: Sendable, Equatable {
    /// Goes to one machine, or to all machines if `to` is nil.
    case decision(Decision, to: String?)
    /// The machine has to pause its media, because `caller` has a call.
    case pause(machine: String, caller: String)
    case resume(machine: String)
  }

  /// A machine as others see it.
  public struct Member: Sendable, Equatable {
    public var name: String
    public var activity: Activity
    public var isConnected: Bool
    public var isPaused: Bool
  }

  private struct Headset: Sendable, Equatable {
    var decision: Decision
    var choice: HeadsetPolicy.Choice?
  }

  private let times: RoutingTimes
  private var machines: [RoutedMachine] = []
  private var headsets: [String: Headset] = [:]
  private var lastGeneration: UInt64 = 0

  public init(_ times: RoutingTimes = RoutingTimes()) { self.times = times }

  public var isEmpty: Bool { machines.isEmpty }

  /// The machines, in the order of their registration.
  public var members: [Member] {
    machines.map {
      Member(
        name: $0.name, activity: $0.activity, isConnected: $0.lostAt == nil, isPaused: $0.isPaused)
    }
  }

  /// The decisions, sorted by headset.
  public var decisions: [Decision] {
    headsets.values.map(\.decision).sorted { $0.headset < $1.headset }
  }

  // MARK: Events

  /// Adds a machine, or takes back one that lost its connection.
  ///
  /// - Parameters:
  ///   - held: The headsets that the machine holds by the last decision that it knows.
  ///   - isPaused: Whether its media is paused because of a call.
  public mutating func register(
    _ name: String, held: Set<String> = [], isPaused: Bool = false, now: Instant
  ) throws(RoutingError) -> [Effect] {
    var effects: [Effect] = []
    if let index = machines.firstIndex(where: { $0.name == name }) {
      machines[index].lostAt = nil
      if machines[index].isPaused, !isPaused {
        // The request, or the fact that the media goes on, was lost with the connection.
        if let caller = caller(now: now) {
          effects.append(.pause(machine: name, caller: caller))
        } else {
          machines[index].forgetPause()
        }
      } else if isPaused, !machines[index].isPaused {
        machines[index].pauseMedia(now: now)
      }
    } else {
      guard machines.count < RoutingLimits.machinesPerGroup else { throw .tooManyMachines }
      var machine = RoutedMachine(name, heldBefore: held, now: now)
      // The machine with the call may not have come back yet.
      if isPaused { machine.pauseMedia(now: now, notBefore: now + times.absence) }
      machines.append(machine)
    }
    return effects + settle(now)
  }

  /// Records that the connection of a machine was lost.
  public mutating func lose(_ name: String, now: Instant) -> [Effect] {
    change(name) { $0.lostAt = now }
    return settle(now)
  }

  /// Removes a machine.
  public mutating func leave(_ name: String, now: Instant) -> [Effect] {
    machines.removeAll { $0.name == name }
    return settle(now)
  }

  /// Takes the activity of a machine.
  public mutating func update(
    _ name: String, _ activity: Activity, now: Instant
  ) throws(RoutingError) -> [Effect] {
    guard let index = machines.firstIndex(where: { $0.name == name }) else {
      throw .unknownMachine(name)
    }
    guard activity.headsets.count <= RoutingLimits.headsetsPerMachine,
      activity.headsets.union(headsets.keys).count <= RoutingLimits.headsetsPerGroup
    else { throw .tooManyHeadsets }
    let before = machines[index]
    let hasBegun = machines[index].accept(activity, now: now)
    follow(choices: before.activity.chosenHeadsets, activity, of: name, now: now)
    var effects: [Effect] = []
    if machines[index].hasCall, !before.hasCall {
      // The machine may have paused its own media before it has told of the call.
      effects = pauseMedia(for: name, besides: before.playsMedia ? name : nil, now: now)
    } else if machines[index].playsMedia, !before.playsMedia {
      // Sound counts as media once it has lasted for a while. It may have begun before the call.
      let caller = machines.first {
        $0.hasBegunCall(within: SoundPresence.shortestMedia, of: now)
      }
      if let caller {
        machines[index].pauseMedia(now: now)
        effects = [.pause(machine: name, caller: caller.name)]
      }
    }
    let changes = settle(now)
    return effects + changes + (hasBegun ? refusals(of: name, besides: changes) : [])
  }

  /// Gives a headset to a machine.
  public mutating func choose(
    _ machine: String, for headset: String, isPinned: Bool, now: Instant
  ) throws(RoutingError) -> [Effect] {
    guard machines.contains(where: { $0.name == machine && $0.activity.headsets.contains(headset) })
    else { throw .unusable(headset, machine) }
    headsets[headset]?.choice = HeadsetPolicy.Choice(machine, at: now, isPinned: isPinned)
    // A choice that repeats an earlier one counts as a new choice.
    headsets[headset]?.decision.holder?.reason = .free
    return settle(now)
  }

  /// Ends the choice of a machine for a headset.
  public mutating func release(
    _ headset: String, now: Instant
  ) throws(RoutingError) -> [Effect] {
    guard headsets[headset] != nil else { throw .unusable(headset, nil) }
    headsets[headset]?.choice = nil
    return settle(now)
  }

  /// Lets time pass.
  public mutating func advance(to now: Instant) -> [Effect] { settle(now) }

  /// The next time at which `advance` has an effect. Nil if only an event can have one.
  public func deadline(after now: Instant) -> Instant? {
    machines.compactMap { $0.deadline(after: now, times) }.min()
  }

  // MARK: Rules

  private mutating func change(_ name: String, _ body: (inout RoutedMachine) -> Void) {
    guard let index = machines.firstIndex(where: { $0.name == name }) else { return }
    body(&machines[index])
  }

  /// The first machine with a call.
  private func caller(now: Instant) -> String? {
    machines.first { $0.hasCall(now: now, times) }?.name
  }

  /// Asks every machine to pause that plays, or may begin to, and the one with the name `other`. A
  /// machine whose media is paused for another call is asked too: it may resume its media itself
  /// after that call.
  private mutating func pauseMedia(
    for caller: String, besides other: String?, now: Instant
  ) -> [Effect] {
    let hasOtherCall = machines.contains { $0.name != caller && $0.hasCall }
    return machines.indices.compactMap { index in
      let machine = machines[index]
      if machine.mayPlay(now: now) || machine.name == other {
        machines[index].pauseMedia(now: now)
      } else if !machine.isPaused || !hasOtherCall {
        return nil
      }
      return .pause(machine: machine.name, caller: caller)
    }
  }

  /// Follows the choices that a person makes on a machine itself.
  private mutating func follow(
    choices old: Set<String>, _ activity: Activity, of name: String, now: Instant
  ) {
    let new = activity.chosenHeadsets.intersection(activity.headsets)
    for headset in new.subtracting(old) {
      if headsets[headset] == nil { decide(headset, now: now) }
      headsets[headset]?.choice = HeadsetPolicy.Choice(name, at: now, isPinned: true)
    }
    for headset in old.subtracting(new) where headsets[headset]?.choice?.machine == name {
      headsets[headset]?.choice = nil
    }
  }

  /// Tells a machine who holds the headsets that it has claimed and did not get.
  private func refusals(of name: String, besides changes: [Effect]) -> [Effect] {
    let told = changes.compactMap { effect -> String? in
      if case .decision(let decision, nil) = effect { decision.headset } else { nil }
    }
    let usable = machines.first { $0.name == name }?.activity.headsets ?? []
    return usable.subtracting(told).sorted().compactMap { headsets[$0]?.decision }
      .filter { $0.holder?.machine != name }.map { .decision($0, to: name) }
  }

  /// Removes lost machines, decides about each headset, and resumes media after the last call.
  private mutating func settle(_ now: Instant) -> [Effect] {
    machines.removeAll { machine in machine.lostAt.map { now >= $0 + times.absence } ?? false }
    var effects: [Effect] = []
    let usable = machines.reduce(into: Set(headsets.keys)) { $0.formUnion($1.activity.headsets) }
    for headset in usable.sorted() {
      if let decision = decide(headset, now: now) { effects.append(.decision(decision, to: nil)) }
    }
    if caller(now: now) == nil {
      for index in machines.indices where machines[index].mayResume(now: now) {
        machines[index].resumeMedia(now: now, within: times.resumption)
        effects.append(.resume(machine: machines[index].name))
      }
    }
    return effects
  }

  /// Decides about a headset. Returns the decision if it is new.
  @discardableResult
  private mutating func decide(_ name: String, now: Instant) -> Decision? {
    let candidates = machines.filter { $0.activity.headsets.contains(name) }
    var headset =
      headsets[name]
      ?? Headset(decision: Decision(headset: name, holder: nil, generation: 0, isChosen: false))
    if let choice = headset.choice, !candidates.contains(where: { $0.name == choice.machine }) {
      headset.choice = nil
    }
    let holder = HeadsetPolicy(times).holder(
      after: headset.decision.holder, choice: headset.choice,
      candidates.map {
        HeadsetPolicy.Candidate(
          $0.name, $0.claim(now: now, times), lastUsed: $0.lastUsed,
          heldBefore: $0.heldBefore.contains(name))
      }, now: now)
    if holder?.machine != headset.choice?.machine { headset.choice = nil }
    for index in machines.indices where machines[index].activity.headsets.contains(name) {
      machines[index].follow(holder: holder?.machine, of: name)
    }
    let isChosen = headset.choice?.isPinned ?? false
    let isNews =
      holder != headset.decision.holder || isChosen != headset.decision.isChosen
      || headset.decision.generation == 0
    if isNews {
      lastGeneration += 1
      headset.decision = Decision(
        headset: name, holder: holder, generation: lastGeneration, isChosen: isChosen)
    }
    headsets[name] = candidates.isEmpty ? nil : headset
    return isNews ? headset.decision : nil
  }
}

/// The reason why an event is refused.
public enum RoutingError: Error, Equatable {
  case tooManyMachines
  case tooManyHeadsets
  case unknownMachine(String)
  /// The machine cannot use the headset. Nil stands for every machine.
  case unusable(String, String?)
}
