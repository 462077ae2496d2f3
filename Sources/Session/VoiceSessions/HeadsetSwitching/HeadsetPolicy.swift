/// The rule that decides which machine uses a headset. A pure function of the state, the claims and the
/// time.
public struct HeadsetPolicy: Sendable {
  /// A machine that can use the headset. Candidates come in the order of their registration.
  public struct Candidate: Sendable, Equatable {
    public var machine: String
    public var claim: Claim
    /// The last time at which a person used the machine.
    public var lastUsed: ContinuousClock.Instant
    /// Whether the machine held the headset by the decision of an arbiter that has since forgotten it, and
    /// has not lost the headset since.
    public var heldBefore: Bool

    public init(
      _ machine: String, _ claim: Claim, lastUsed: ContinuousClock.Instant, heldBefore: Bool = false
    ) {
      self.machine = machine
      self.claim = claim
      self.lastUsed = lastUsed
      self.heldBefore = heldBefore
    }
  }

  /// A person's choice of a machine.
  public struct Choice: Sendable, Equatable {
    public var machine: String
    public var at: ContinuousClock.Instant
    /// Whether the choice lasts until it is released. Otherwise a later activity ends it.
    public var isPinned: Bool

    public init(_ machine: String, at: ContinuousClock.Instant, isPinned: Bool) {
      self.machine = machine
      self.at = at
      self.isPinned = isPinned
    }
  }

  /// The reason for a decision.
  public enum Reason: Sendable, Equatable {
    /// No other machine held the headset.
    case free
    case call
    case media
    case chosen
    case holderLeft
  }

  /// A machine, and the reason why it holds the headset.
  public struct Holder: Sendable, Equatable {
    public var machine: String
    public var reason: Reason
    public var since: ContinuousClock.Instant

    public init(_ machine: String, _ reason: Reason, since: ContinuousClock.Instant) {
      self.machine = machine
      self.reason = reason
      self.since = since
    }
  }

  private let times: RoutingTimes

  public init(_ times: RoutingTimes) { self.times = times }

  /// Returns the machine that uses the headset from now on, or nil if no machine can use it.
  public func holder(
    after holder: Holder?, choice: Choice?, _ candidates: [Candidate], now: ContinuousClock.Instant
  ) -> Holder? {
    if let choice,
      choice.isPinned || holder?.machine != choice.machine || holder?.reason != .chosen,
      candidates.contains(where: { $0.machine == choice.machine })
    {
      let isNews = holder?.machine != choice.machine
      return Holder(choice.machine, .chosen, since: isNews ? now : holder?.since ?? now)
    }
    guard let holder, let current = candidates.first(where: { $0.machine == holder.machine }) else {
      return best(candidates).map {
        Holder($0.machine, holder == nil ? .free : .holderLeft, since: now)
      }
    }
    let challengers = candidates.filter {
      $0.machine != holder.machine && mayTake($0, from: current, holder, choice)
    }
    guard let winner = best(challengers) else { return holder }
    return Holder(winner.machine, Reason(winner.claim.rank), since: now)
  }

  private func mayTake(
    _ challenger: Candidate, from current: Candidate, _ holder: Holder, _ choice: Choice?
  ) -> Bool {
    let (new, old) = (challenger.claim, current.claim)
    guard new.rank > .none else {
      // The choice between machines without activity is only a guess if there was no holder before.
      return challenger.heldBefore && !current.heldBefore && old.rank == .none
        && holder.reason == .free
    }
    if let choice, new.since <= choice.at { return false }
    if new.rank != old.rank { return new.rank > old.rank }
    return new.since >= max(holder.since, old.since) + times.hold
  }

  /// Returns the candidate with the best claim. Of equals, the first.
  private func best(_ candidates: [Candidate]) -> Candidate? {
    candidates.reduce(nil) { best, next in
      guard let best else { return next }
      return Self.isBetter(next, than: best) ? next : best
    }
  }

  private static func isBetter(_ left: Candidate, than right: Candidate) -> Bool {
    if left.claim.rank != right.claim.rank { return left.claim.rank > right.claim.rank }
    if left.claim.rank > .none { return left.claim.since > right.claim.since }
    if left.heldBefore != right.heldBefore { return left.heldBefore }
    return left.lastUsed > right.lastUsed
  }
}

extension HeadsetPolicy.Reason {
  fileprivate init(_ rank: Claim.Rank) {
    switch rank {
    case .call: self = .call
    case .media: self = .media
    case .none: self = .free
    }
  }
}

/// The times of automatic switching.
public struct RoutingTimes: Sendable, Equatable {
  /// The time after the holder of a headset became active, or received the headset, in which a claim of
  /// an equal is refused.
  public var hold = Duration.seconds(2)
  /// The time for which a machine keeps its claim after its activity has ended.
  public var linger = Duration.seconds(2)
  /// The time for which the place of a machine is kept that has lost its connection.
  public var absence = Duration.seconds(10)
  /// The time in which media that was asked to resume has to be heard again, to keep its claim.
  public var resumption = Duration.seconds(5)

  /// Creates the usual times.
  public init() {}
}

/// The limits of a group. They bound the memory and the work that the clients of a server can cause.
public enum RoutingLimits {
  public static let machinesPerGroup = 32
  public static let headsetsPerMachine = 16
  public static let headsetsPerGroup = 64
}
