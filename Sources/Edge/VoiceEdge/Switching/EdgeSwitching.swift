internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceClient
internal import VoiceSessions

/// The part of this machine in automatic switching: reports its activity to the arbiter, and follows the
/// decisions.
final class EdgeSwitching: Sendable {
  /// The state that others see.
  struct Status: Sendable {
    var rule: SwitchingRule
    var problem = "not connected yet"
    var activity = Anechoic_V1_MachineActivity()
    var isPaused = false
    /// The media of other programs on the desktop.
    fileprivate var desktop = SoundPresence()
  }

  /// The time between looks at the activity.
  private static let interval = Duration.milliseconds(50)

  private let settings: EdgeConfiguration.Switching
  private let client: RoutingClient
  private let media: [any PausesMedia]
  /// Whether the agent itself pauses the media players for a call of this machine.
  private let pausesOwnPlayers: Bool
  private let log: @Sendable (String) -> Void
  private let state: Mutex<Status>

  /// Creates the part of a machine. Returns nil if the configuration shares no headsets.
  ///
  /// - Parameter media: Everything that a request to pause media applies to.
  init?(
    _ configuration: EdgeConfiguration, media: [any PausesMedia],
    log: @escaping @Sendable (String) -> Void
  ) {
    settings = configuration.switching
    guard settings.isOn else { return nil }
    let server = configuration.server
    client = RoutingClient(
      server: server.address, clientName: configuration.session.client, security: server.security,
      credentials: server.credentials)
    self.media = media
    pausesOwnPlayers = configuration.programs.mediaDuringCalls == .pause
    self.log = log
    state = Mutex(
      Status(
        rule: SwitchingRule(
          machine: settings.machine, headsets: Set(settings.headsets), now: .now)))
  }

  var status: Status { state.withLock { $0 } }

  /// The ids of the ports that the routes must not use by themselves.
  var withheld: Set<String> { state.withLock { $0.rule.withheld(now: .now) } }

  /// Runs until the task is cancelled. The machine then leaves its group.
  func run(
    _ board: StatusBoard, _ routes: RouteDirector, _ desktop: OtherPrograms?
  ) async {
    let link = RoutingLink(client) { [self] in
      registration
    } happened: { [self] event in
      await happened(event, routes)
    }
    await withDiscardingTaskGroup { group in
      group.addTask { await link.run() }
      group.addTask { [self] in
        while !Task.isCancelled {
          var plays = false
          for player in media where await player.isPlaying { plays = true }
          link.report(activity(board.status, routes, desktop?.status, hasPlayer: plays))
          await resumeWithoutArbiter()
          try? await Task.sleep(for: Self.interval)
        }
      }
    }
  }

  private var registration: Anechoic_V1_RegisterMachine {
    let status = status
    return .with {
      $0.group = settings.group
      $0.machine = settings.machine
      $0.heldHeadsets = status.rule.held.sorted()
      $0.mediaPaused = status.isPaused
    }
  }

  /// Returns the activity of this machine.
  private func activity(
    _ status: EdgeStatus, _ routes: RouteDirector, _ desktop: OtherPrograms.Status?,
    hasPlayer: Bool
  ) -> Anechoic_V1_MachineActivity {
    let sounds = status.sounds
    let shared = Set(settings.headsets).intersection(routes.present)
    let chosen = routes.chosen.map { shared.intersection([$0]) } ?? []
    return state.withLock { state in
      let now = ContinuousClock.now
      state.desktop.record(isSounding: desktop?.plays ?? false, now: now)
      state.activity = .with {
        $0.headsets = shared.sorted()
        $0.chosenHeadsets = chosen.sorted()
        $0.microphoneOpen =
          switch settings.call {
          case .automatic: status.call.isSeen || sounds.farEndSounds
          case .farEnd: sounds.farEndSounds
          case .voice: sounds.voiceIsRead
          }
        $0.mediaPlaying = sounds.mediaPlays || hasPlayer || state.desktop.isMedia(now: now)
        $0.notificationPlaying = sounds.notificationSounds || state.desktop.isShort(now: now)
      }
      return state.activity
    }
  }

  private func happened(_ event: RoutingLink.Event, _ routes: RouteDirector) async {
    switch event {
    case .connected:
      state.withLock {
        $0.rule.connected()
        $0.problem = ""
      }
      log("routing: the arbiter answers")
    case .away(let status):
      let isNews = state.withLock { state in
        defer { state.problem = status.oneLine }
        state.rule.lost(now: .now)
        return state.problem.prefix(20) != status.oneLine.prefix(20)
      }
      if isNews { log("routing: the arbiter is away: \(status.oneLine); trying again") }
    case .decision(let decision): accept(decision, routes)
    case .mediaPauseRequested(let request):
      state.withLock { $0.isPaused = true }
      log("routing: media pauses, because \(request.machine) has a call")
      // The agent resumes them at the end of the call, earlier than the arbiter.
      let leavesPlayers = request.machine == settings.machine && pausesOwnPlayers
      for player in media where !(leavesPlayers && player is MediaPlayers) { await player.pause() }
    case .mediaResumeRequested:
      state.withLock { $0.isPaused = false }
      log("routing: media resumes")
      for player in media { await player.resume() }
    }
  }

  /// Resumes media if the arbiter has been away for too long to ask for it.
  private func resumeWithoutArbiter() async {
    let resumes = state.withLock { state in
      guard state.isPaused, state.rule.isLocal(now: .now) else { return false }
      state.isPaused = false
      return true
    }
    guard resumes else { return }
    log("routing: media resumes, because the arbiter is away")
    for player in media { await player.resume() }
  }

  private func accept(_ decision: Anechoic_V1_RoutingDecision, _ routes: RouteDirector) {
    guard state.withLock({ $0.rule.accept(decision) }) else { return }
    routes.refresh()
    let holder = decision.holder.isEmpty ? "no machine" : decision.holder
    log("routing: \(holder) uses the headset \(decision.headset)")
    guard decision.chosen, decision.holder != settings.machine,
      routes.chosen == decision.headset
    else { return }
    // A person has chosen another machine since.
    log("routing: \(decision.headset) is not chosen here any more")
    try? routes.choose(nil)
  }
}
