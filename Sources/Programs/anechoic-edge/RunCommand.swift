internal import ArgumentParser
internal import BundledEngines
internal import CommandLineSupport
internal import EdgeAudio
internal import Operations
internal import Settings
internal import VoiceEdge
internal import VoiceEngines

/// Runs the agent until SIGTERM or SIGINT.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the agent.",
    discussion: """
      The agent also starts while the server is away or a device is unplugged, and uses them when \
      they appear. Each state change is logged as one line on standard error. SIGTERM or SIGINT \
      stops the agent.

      Each option is also a key of the configuration file and an environment variable: --far-end \
      is far_end in the section programs, and ANECHOIC_EDGE_FAR_END. An option takes precedence \
      over a variable, and a variable over the file. docs/reference/edge.md lists all keys.
      """)

  // Without a group around these groups, which would be slow to parse in debug builds.
  @OptionGroup var file: ConfigurationFileOption
  @OptionGroup(title: "Server") var server: SettingFlags<ServerFlags>
  @OptionGroup(title: "Session") var session: SettingFlags<SessionFlags>
  @OptionGroup(title: "Audio") var audio: SettingFlags<AudioFlags>
  @OptionGroup(title: "Routes") var routes: SettingFlags<RoutesFlags>
  @OptionGroup(title: "Automatic switching") var routing: SettingFlags<RoutingFlags>
  @OptionGroup(title: "Programs") var programs: SettingFlags<ProgramsFlags>
  @OptionGroup(title: "Calls") var calls: SettingFlags<CallsFlags>
  @OptionGroup(title: "Microphone") var microphone: SettingFlags<MicrophoneFlags>
  @OptionGroup(title: "Mute") var mute: SettingFlags<MuteFlags>
  @OptionGroup(title: "Injection") var injection: SettingFlags<InjectionFlags>
  @OptionGroup(title: "Keys") var keys: SettingFlags<KeysFlags>
  @OptionGroup(title: "This machine") var other: SettingFlags<OtherFlags>

  @Flag(help: "Check the configuration, report what is wrong with it, and exit.")
  var check = false

  /// The flags in the order of the sections.
  var flags: [GivenFlag] {
    let devices = audio.given + routes.given + routing.given + microphone.given
    return server.given + session.given + devices + programs.given + calls.given + mute.given
      + injection.given + keys.given + other.given
  }

  func run() async throws {
    let settings = try EdgeSettings(file: file.config, flags: flags)
    let configuration = try settings.configuration()
    guard !check else { return }
    if let file = settings.file, let note = ChangedDefaults().note(settings.settings, file: file) {
      standardError("anechoic-edge: \(note)\n")
    }
    do {
      try EngineCatalog.bundled.prepare()
    } catch {
      throw CommandError("\(error)")
    }
    let system = ALSASystem()
    try checkDevices(settings, configuration, system)
    let agent = EdgeAgent(
      configuration, system: system, desktop: desktop(configuration), engines: .bundled
    ) {
      StandardErrorLog.write("anechoic-edge: \($0)")
    }
    let signals = TerminationSignals()
    let work = Task {
      do { try await agent.run() } catch let failure as EdgeError {
        throw CommandError(failure.description)
      }
    }
    let watch = Task {
      await signals.next()
      work.cancel()
    }
    defer {
      watch.cancel()
      StandardErrorLog.flush()
    }
    try await work.value
  }

  /// Returns the sound server whose other streams are lowered, or nil for none.
  private func desktop(_ configuration: EdgeConfiguration) -> (any StreamServers)? {
    switch configuration.programs.desktop {
    case .none: nil
    case .automatic: PulseServers()
    case .server(let address): PulseServers(address: address)
    }
  }

  /// Opens the configured devices before the agent starts. Throws for a device that cannot work.
  private func checkDevices(
    _ settings: EdgeSettings, _ configuration: EdgeConfiguration, _ system: ALSASystem
  ) throws(CommandError) {
    func line(_ problem: DeviceProblem) -> String {
      settings.settings.wrong(problem.key, problem.description).description
    }
    let problems = EdgeAgent.deviceErrors(configuration, system: system)
    if let hopeless = problems.first(where: { !$0.error.mayPass }) {
      guard SoundCards.exist || [.unfit, .unknown].contains(hopeless.error.reason) else {
        throw CommandError(
          "\(line(hopeless)): this machine has no sound card; connect one, or try the agent "
            + "without sound with --input null --output null")
      }
      throw CommandError(line(hopeless))
    }
    for problem in problems {
      standardError("anechoic-edge: \(line(problem)); waiting for the device\n")
    }
  }
}
