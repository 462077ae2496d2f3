internal import ALSADevices
internal import ArgumentParser
internal import AudioDevices
internal import CommandLineSupport
internal import VoiceEdge
internal import WebRTCEngine

/// Runs the agent until it is told to stop.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the agent.",
    discussion: """
      It starts without a server and without devices too, and uses them when they come. Each change \
      is a line on standard error. SIGTERM or SIGINT ends it.
      """)

  @OptionGroup var options: ConfigurationOptions

  @Flag(help: "Read the configuration, say what is wrong with it, and end.")
  var check = false

  func run() async throws {
    let configuration = try options.configuration()
    guard !check else { return }
    let system = ALSASystem()
    try checkDevices(configuration, system)
    let agent = EdgeAgent(configuration, system: system, engine: WebRTCVoiceEngine.self) {
      standardError("anechoic-edge: \($0)\n")
    }
    let signals = TerminationSignals()
    let work = Task {
      do { try await agent.run() } catch let failure as EdgeFailure {
        throw CommandFailure(failure.description)
      }
    }
    let watch = Task {
      await signals.first()
      work.cancel()
    }
    defer { watch.cancel() }
    try await work.value
  }

  /// What cannot work at all is said before anything starts.
  private func checkDevices(
    _ configuration: EdgeConfiguration, _ system: ALSASystem
  ) throws(CommandFailure) {
    let errors = EdgeAgent.deviceErrors(configuration, system: system)
    if let hopeless = errors.first(where: { !$0.mayPass }) {
      throw CommandFailure(hopeless.description)
    }
    for error in errors { standardError("anechoic-edge: \(error); used when it can be\n") }
  }
}
