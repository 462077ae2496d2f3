internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import Operations

/// Prints the agent's metrics for Prometheus.
struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Print the metrics of the agent for Prometheus.",
    discussion: """
      The agent listens on no port for Prometheus. A timer that runs this command every 15 s gives the \
      metrics to the textfile collector of node_exporter:
        anechoic-edge metrics --output /var/lib/prometheus/node-exporter/anechoic-edge.prom
      """)

  @OptionGroup var agent: AgentOptions

  @Option(
    help: ArgumentHelp(
      "The file to replace at once. (default: standard output)", valueName: "file"))
  var output: String?

  func run() async throws {
    let text: String
    do { text = Self.text(of: try await agent.status()) } catch {
      // The metrics of an agent that has gone would otherwise stay as they were.
      if let output { try write(Self.textWithoutAgent, to: output) }
      throw error
    }
    guard let output else { return try LineFile("-").show(String(text.dropLast())) }
    try write(text, to: output)
  }

  private func write(_ text: String, to output: String) throws {
    let file = try AtomicFile(output)
    try file.write(text)
    // The collector runs as another user.
    chmod(file.temporaryPath, 0o644)
    try file.complete()
  }

  /// The metrics while no agent answers.
  private static var textWithoutAgent: String {
    let registry = MetricsRegistry()
    registry.gauge(.edgeUp).set(0)
    return Exposition.prometheus.text(of: registry)
  }

  private static func text(of status: Anechoic_V1_EdgeStatus) -> String {
    let registry = MetricsRegistry()
    registry.gauge(.edgeUp).set(1)
    let (capture, playback) = (
      registry.counter(.xruns, "capture"), registry.counter(.xruns, "playback")
    )
    for device in status.devices {
      let isPlayback = ["loudspeaker", "voice"].contains(device.role)
      (isPlayback ? playback : capture).add(UInt64(device.xruns))
    }
    registry.gauge(.edgeConnected).set(status.connected ? 1 : 0)
    registry.gauge(.edgeCall).set(status.call.active ? 1 : 0)
    let isOpen = status.devices.contains {
      $0.role == "microphone" && [.running, .stalled].contains($0.state)
    }
    registry.gauge(.microphoneOpen).set(isOpen ? 1 : 0)
    registry.gauge(.loweredStreams).set(Double(status.otherPrograms.loweredStreams))
    return Exposition.prometheus.text(of: registry)
  }
}
