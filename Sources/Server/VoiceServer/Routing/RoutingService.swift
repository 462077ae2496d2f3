internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import Operations
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceSessions

/// The arbiter of automatic switching. Its groups live as long as they have machines. Claims count in the
/// order in which they arrive here.
final class RoutingService: Sendable {
  /// The maximum number of machines in all groups.
  static let mostMachines = 4096
  /// The maximum number of machines that one principal, or one host without verified clients, registers.
  static let mostMachinesPerAccount = 256
  /// The largest request of a machine in bytes.
  private static let largestRequest = 8 << 10
  /// The time between looks at the deadlines of the groups.
  private static let interval = Duration.milliseconds(100)
  /// The number of choices at once, and in each second, in one group.
  fileprivate static let choices = (burst: 50.0, perSecond: 20.0)

  struct Place {
    var client: Principal
    /// The messages to the machine. Nil after its connection was lost.
    var mailbox: RoutingMailbox?
  }

  struct Entry {
    var group: RoutingGroup
    /// The places of the machines, by their names.
    var places: [String: Place] = [:]
    var budget = TokenBucket(
      burst: RoutingService.choices.burst, perSecond: RoutingService.choices.perSecond)
  }

  struct State {
    var entries: [RoutingKey: Entry] = [:]
    /// The numbers of machines.
    var accounts: [String: Int] = [:]
    var count = 0
    var isTicking = false
    var isDraining = false
  }

  private let times: RoutingTimes
  private let live: LiveConfiguration
  let state = Mutex(State())

  init(live: LiveConfiguration) {
    self.live = live
    times = live.current.routing
  }

  var methods: [ServerMethod] {
    [
      ServerMethod(method(RPC.arbitrate), lane: .background) { ArbitrateCall($0, self) }
        .with(largestMessage: Self.largestRequest),
      .unary(method(RPC.getRouting), lane: .background) { bytes, context in
        try MessageEncoding.binary.encoded(
          self.routing(MessageEncoding.binary.decoded(bytes), for: Principal(context)))
      },
      .unary(method(RPC.chooseHolder), lane: .background) { bytes, context in
        let request: Anechoic_V1_ChooseHolderRequest = try MessageEncoding.binary.decoded(bytes)
        return try await self.live.current.log.auditing(
          RPC.chooseHolder, session: "", by: ServerLog.Cause(context)
        ) {
          try MessageEncoding.binary.encoded(self.choose(request, by: Principal(context)))
        }
      },
    ]
  }

  private func method(_ name: String) -> GRPCTransport.Method {
    Method(service: RPC.routing, name: name)
  }

  // MARK: Machines

  /// Adds a machine, whose messages go to `mailbox`. Throws the status that ends its call.
  func register(
    _ registration: MachineRegistration, of client: Principal, _ mailbox: RoutingMailbox
  ) throws(Status) -> RoutingPlace {
    let key = RoutingKey(registration.group, of: client)
    let name = registration.machine
    try change(key, createsGroup: true) { state, entry throws(Status) in
      if let old = entry.places[name] {
        old.mailbox?.end(.machineTakenOver)
        state.move(old.client.account, to: client.account)
      } else {
        try state.admit(client)
      }
      entry.places[name] = Place(client: client, mailbox: nil)
      let effects = try Self.refusing { () throws(RoutingError) in
        try entry.group.register(
          name, held: registration.held, isPaused: registration.isPaused, now: .now)
      }
      mailbox.put(
        .with {
          $0.registered.group = registration.group
          $0.registered.machine = name
        })
      Self.deliver(effects, in: entry)
      // The machine gets the decisions as they are now, and then all changes.
      for decision in entry.group.decisions { mailbox.put(.decision(decision)) }
      entry.places[name]?.mailbox = mailbox
      for effect in effects where effect.isRequest(to: name) { Self.deliver([effect], in: entry) }
      return []
    }
    return RoutingPlace(key: key, machine: name, mailbox: mailbox)
  }

  func update(_ place: RoutingPlace, _ activity: Activity) throws(Status) {
    try change(place.key) { _, entry throws(Status) in
      guard entry.places[place.machine]?.mailbox === place.mailbox else { return [] }
      return try Self.refusing { () throws(RoutingError) in
        try entry.group.update(place.machine, activity, now: .now)
      }
    }
  }

  /// Removes a machine whose client has ended its requests.
  func leave(_ place: RoutingPlace) {
    try? change(place.key) { _, entry throws(Status) in
      guard entry.places[place.machine]?.mailbox === place.mailbox else { return [] }
      return entry.group.leave(place.machine, now: .now)
    }
  }

  /// Keeps the place of a machine that has lost its connection, for a while.
  func lose(_ place: RoutingPlace) {
    try? change(place.key) { _, entry throws(Status) in
      guard entry.places[place.machine]?.mailbox === place.mailbox else { return [] }
      entry.places[place.machine]?.mailbox = nil
      return entry.group.lose(place.machine, now: .now)
    }
  }

  /// Ends all calls, and refuses new ones.
  func drain() {
    let mailboxes = state.withLock { state in
      state.isDraining = true
      defer { (state.entries, state.accounts, state.count) = ([:], [:], 0) }
      return state.entries.values.flatMap { $0.places.values.compactMap(\.mailbox) }
    }
    for mailbox in mailboxes { mailbox.end(.draining) }
  }

  // MARK: Changes

  /// Changes a group, and delivers the effects. Does nothing if there is no such group.
  func change(
    _ key: RoutingKey, createsGroup: Bool = false,
    _ body: (inout State, inout Entry) throws(Status) -> [RoutingGroup.Effect]
  ) throws(Status) {
    let result = state.withLock { state -> Result<Bool, Status> in
      if state.isDraining { return createsGroup ? .failure(.draining) : .success(false) }
      let known = state.entries.removeValue(forKey: key)
      guard var entry = known ?? (createsGroup ? Entry(group: RoutingGroup(times)) : nil) else {
        return .success(false)
      }
      defer { state.keep(entry, key) }
      do throws(Status) {
        Self.deliver(try body(&state, &entry), in: entry)
      } catch {
        return .failure(error)
      }
      guard !state.isTicking, entry.group.deadline(after: .now) != nil else {
        return .success(false)
      }
      state.isTicking = true
      return .success(true)
    }
    if try result.get() { tick() }
  }

  /// Lets time pass in all groups, as long as one of them has a deadline.
  private func tick() {
    Task(executorPreference: BackgroundExecutor.shared) {
      while self.state.withLock({ self.advance(&$0) }) { try? await Task.sleep(for: Self.interval) }
    }
  }

  /// Returns whether a group has a deadline.
  private func advance(_ state: inout State) -> Bool {
    let now = ContinuousClock.now
    var hasDeadline = false
    for (key, var entry) in state.entries {
      // Without a deadline nothing is due, because a deadline that has passed is performed at once.
      Self.deliver(entry.group.advance(to: now), in: entry)
      hasDeadline = hasDeadline || entry.group.deadline(after: now) != nil
      state.keep(entry, key)
    }
    state.isTicking = hasDeadline
    return hasDeadline
  }

  private static func deliver(_ effects: [RoutingGroup.Effect], in entry: Entry) {
    for effect in effects {
      switch effect {
      case .decision(let decision, let machine):
        let response = [UInt8].decision(decision)
        for (name, place) in entry.places where machine == nil || machine == name {
          place.mailbox?.put(response)
        }
      case .pause(let machine, let caller):
        entry.places[machine]?.mailbox?.put(.with { $0.mediaPauseRequested.machine = caller })
      case .resume(let machine):
        entry.places[machine]?.mailbox?.put(.with { $0.mediaResumeRequested = .init() })
      }
    }
  }

  static func refusing<Result>(
    _ body: () throws(RoutingError) -> Result
  ) throws(Status) -> Result {
    do { return try body() } catch { throw Status(error) }
  }

  static func checked<Result>(
    _ body: () throws(InvalidFieldError) -> Result
  ) throws(Status) -> Result {
    do { return try body() } catch { throw Status(error) }
  }
}

extension RoutingService.State {
  /// Counts one more machine of a client. Throws if there are too many.
  fileprivate mutating func admit(_ client: Principal) throws(Status) {
    guard count < RoutingService.mostMachines,
      accounts[client.account, default: 0] < RoutingService.mostMachinesPerAccount
    else { throw .routingFull }
    add(1, to: client.account)
  }

  fileprivate mutating func move(_ account: String, to other: String) {
    add(-1, to: account)
    add(1, to: other)
  }

  /// Keeps a group as long as it has machines.
  fileprivate mutating func keep(_ entry: RoutingService.Entry, _ key: RoutingKey) {
    var entry = entry
    let present = Set(entry.group.members.map(\.name))
    for (name, place) in entry.places where !present.contains(name) {
      add(-1, to: place.client.account)
      entry.places[name] = nil
    }
    entries[key] = entry.group.isEmpty ? nil : entry
  }

  private mutating func add(_ number: Int, to account: String) {
    count += number
    let sum = accounts[account, default: 0] + number
    accounts[account] = sum == 0 ? nil : sum
  }
}

extension RoutingGroup.Effect {
  /// Whether the effect is a request about the media of a machine.
  fileprivate func isRequest(to name: String) -> Bool {
    switch self {
    case .pause(let machine, _), .resume(let machine): machine == name
    case .decision: false
    }
  }
}

extension [UInt8] {
  fileprivate static func with(_ fill: (inout Anechoic_V1_ArbitrateResponse) -> Void) -> [UInt8] {
    (try? Anechoic_V1_ArbitrateResponse.with(fill).serializedBytes()) ?? []
  }

  fileprivate static func decision(_ decision: RoutingGroup.Decision) -> [UInt8] {
    .with { $0.decision = Anechoic_V1_RoutingDecision(decision) }
  }
}
