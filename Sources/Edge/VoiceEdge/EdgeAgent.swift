internal import AnechoicAPI
public import EdgeAudio
internal import Glibc
internal import VoiceClient
public import VoiceEngines

/// A voice device made of a machine's sound hardware, its programs and a server.
///
/// Each device has a thread, and so has the voice. The server connection and the local control are
/// tasks.
public final class EdgeAgent: Sendable {
  let configuration: EdgeConfiguration
  let voice = Mailbox<EdgeVoice>()
  let board: StatusBoard
  let link: any EdgeLink
  let routes: RouteDirector
  let devices: VoiceDevices
  let otherPrograms: OtherPrograms?
  let switching: EdgeSwitching?
  let mediaPlayers: MediaPlayers?
  let slots: FarEndSlots
  private let talkerNotice: TalkerNotice
  private let engines: EngineCatalog
  private let watches: (controls: ControlWatch, jacks: JackWatch)
  private let voiceThread = LoopThread()
  let log: @Sendable (String) -> Void

  /// Creates an agent.
  ///
  /// - Parameters:
  ///   - system: The sound devices.
  ///   - desktop: The sound server whose other streams are lowered. Nil for none.
  ///   - media: Media players that pause while another machine of the person has a call, besides
  ///     the agent's own other audio. Nil for none.
  ///   - engines: The engines of this machine. Local processing uses the default engine.
  ///   - log: Called with one line for each state change, from any thread.
  public init(
    _ configuration: EdgeConfiguration, system: any AudioSystem,
    desktop: (any StreamServers)? = nil, media: (any PausesMedia)? = nil, engines: EngineCatalog,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.configuration = configuration
    self.engines = engines
    self.log = log
    let recordersChanged: @Sendable ([String]) -> Void = { [voice] recorders in
      voice.post { $0.recordersChanged(recorders) }
    }
    otherPrograms = desktop.map {
      OtherPrograms(
        $0, file: RememberedFile(configuration.programs.desktopMemory, "lowered-streams.json"),
        applications: configuration.calls.applications, recordersChanged: recordersChanged, log: log
      )
    }
    mediaPlayers =
      configuration.programs.mediaDuringCalls == .leave
      ? nil : MediaPlayers(configuration.programs, log: log)
    devices = VoiceDevices(configuration, system: system, log: log)
    slots = FarEndSlots(configuration)
    let players: [(any PausesMedia)?] = [OtherAudioPause(voice: voice), mediaPlayers, media]
    let switching = EdgeSwitching(configuration, media: players.compactMap { $0 }, log: log)
    self.switching = switching
    let lamps = Lamps("mute lamp", configuration.mute.lamps, log: log)
    board = StatusBoard(mutedChanged: lamps.set, recordingChanged: devices.lamps.recording)
    talkerNotice = TalkerNotice(configuration, lamps: lamps, devices.controls, log: log)
    link = configuration.makeLink(voice, board, log: log)
    let controls = ControlWatch(system) { [voice] isMuted in
      voice.post { $0.hardwareMuted(isMuted) }
    }
    let jacks = JackWatch(configuration.routes.ports, system, log: log)
    watches = (controls, jacks)
    routes = RouteDirector(configuration.routes, system, controls, jacks) { [devices] in
      devices.microphone.selection.isOpen
    } withheld: {
      switching?.withheld ?? []
    } changed: {
      [voice, devices] change in
      devices.select(change.current)
      devices.lamps.routeChanged()
      lamps.setAgain()
      voice.post { $0.routeChanged(change) }
    }
  }

  /// Runs until the task is cancelled. Throws an `EdgeError` for an error that a retry cannot
  /// correct.
  public func run() async throws {
    // A program that stops reading must not end the agent.
    signal(SIGPIPE, SIG_IGN)
    // The parent process may have ignored SIGCHLD. Then the exit status of a command would be lost.
    signal(SIGCHLD, SIG_DFL)
    // First, because nothing may be changed if another agent is running.
    let control: LocalControl?
    do { control = try LocalControl(self) } catch {
      watches.controls.stop()
      throw error
    }
    startDevices()
    defer { stopDevices() }
    let presses = KeyPresses(configuration, voice: voice, board: board, log: log)
    let keys = EdgeKeys(configuration, presses: presses, log: log)
    let named = configuration.mute.keys
    let watches = named.filter { !BluetoothKeys.isNamed(by: $0) }
      .map { KeyWatch($0, log: log, happened: keys.perform) }
    let headsets = named.compactMap { BluetoothKeys($0, log: log, happened: keys.perform) }
    defer {
      watches.forEach { $0.stop() }
      watches.forEach { $0.join() }
    }
    let tasks = Task {
      await withDiscardingTaskGroup { group in
        group.addTask { await self.pauseMedia() }
        group.addTask { [self] in await talkerNotice.run(board) }
        let sleep = SleepWatch(configuration) { [voice] isAsleep in
          voice.post { $0.interrupt(.suspended, isAsleep) }
        }
        if let sleep { group.addTask { await sleep.run() } }
        if let notice = InjectionNotice(configuration, voice, log: log) {
          group.addTask { [self] in await notice.run(board) }
        }
        if let switching {
          group.addTask { [self] in await switching.run(board, routes, otherPrograms) }
        }
        for headset in headsets { group.addTask { await headset.run() } }
      }
    }
    let result: Result<Void, any Error>
    do {
      let link = link
      try await race({ try await link.run() }, { await keys.performAll() })
      result = .success(())
    } catch {
      result = .failure(error)
    }
    tasks.cancel()
    await tasks.value
    await control?.stop()
    try result.get()
  }

  private func startDevices() {
    devices.start(buffer: configuration.playoutBuffer, wake: voice.signal)
    voiceThread.start("voice") { [self] thread in
      let programs = EdgePrograms(configuration, devices.devices, slots, wake: voice.signal)
      devices.addHealth(of: programs)
      let parts = EdgeParts(
        rings: devices.rings, programs: programs, slots: slots, board: board, mailbox: voice
      ) {
        [otherPrograms] in otherPrograms?.setGain($0)
      }
      let edge = EdgeVoice(configuration, parts, log: log)
      if configuration.session.join == nil {
        do { try edge.prepare(engine: engines.defaultEngine) } catch {
          log("local voice: \(error)")
        }
      }
      edge.run(thread)
      programs.stop()
      programs.join()
    }
    routes.start()
    otherPrograms?.start()
  }

  private func stopDevices() {
    routes.stop()
    otherPrograms?.stop()
    watches.controls.stop()
    watches.jacks.stop()
    voiceThread.stop()
    voice.signal()
    devices.stop()
    routes.join()
    otherPrograms?.join()
    watches.controls.join()
    watches.jacks.join()
    voiceThread.join()
    devices.join()
    devices.lamps.finish()
  }
}
