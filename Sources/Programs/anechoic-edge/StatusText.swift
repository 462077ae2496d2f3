internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

/// The text that shows the status of the agent to people.
struct StatusText {
  /// The longest time in ms from sending to the answer that an agent measures.
  private static let longestLatency: Float = 2500

  private let status: Anechoic_V1_EdgeStatus

  init(_ status: Anechoic_V1_EdgeStatus) { self.status = status }

  var lines: [String] {
    [server, call, route, mute, voice] + keptVoice + injection + devices + [
      latency, playback, flow, echo,
    ]
      + otherPrograms + switching
  }

  private var server: String {
    if status.connected { return "server       \(status.server), \(status.session)" }
    // Between calls there is nothing to connect to.
    let state = status.call.active ? "is not connected: \(status.problem)" : "rests between calls"
    return "server       \(status.server) \(state)"
  }

  private var call: String { CallText(status.call).line }

  private var route: String {
    let ports = status.ports.map { port in
      port.port.portID + (port.present ? "" : " (not plugged in)")
    }
    return "route        \(status.route.isEmpty ? "none" : status.route) of "
      + ports.joined(separator: ", ")
  }

  private var mute: String {
    guard status.muted else { return "mute         off" }
    let isHeard = status.microphoneUse == .mutedTalker && !status.recording
    let use = isHeard ? "; this machine listens for a muted talker, and nothing leaves it" : ""
    let holders = status.muteHolders.map { $0 == .hardware ? "the device's switch" : "the session" }
    let actor = status.muteActor.isEmpty ? "" : " (\(status.muteActor))"
    return "mute         on, held by \(holders.joined(separator: " and "))\(actor)\(use)"
  }

  private var voice: String {
    let speech =
      status.mutedSpeechActive ? "speaking while muted" : status.voiceActive ? "speaking" : "quiet"
    return "voice        \(speech)"
  }

  private var keptVoice: [String] {
    status.voice == .with { $0.enrollment = .none } ? [] : ["kept voice   " + status.voice.words]
  }

  private var injection: [String] {
    status.injectionRequests.map { "injection    " + $0.words }
  }

  private var devices: [String] {
    status.devices.map { device in
      let state =
        switch device.state {
        case .running: "running, \(device.detail)"
        case .stalled: "delivers no samples"
        case .absent, .closed: device.detail
        default: "none"
        }
      let faults = device.xruns == 0 ? "" : ", \(device.xruns) xruns"
      return device.role.padding(toLength: 13, withPad: " ", startingAt: 0)
        + (device.device.isEmpty ? state : "\(device.device): \(state)\(faults)")
    }
  }

  private var latency: String {
    let latency = status.latency
    guard latency.totalMs > 0 else { return "latency      unknown without a server" }
    guard latency.serverMs < Self.longestLatency else {
      return "latency      more than 2.5 s: the server answers too late"
    }
    return String(
      format: "latency      %.1f ms from the microphone to the processed voice: capture %.1f, "
        + "server %.1f, processing %.1f",
      latency.totalMs, latency.captureMs, latency.serverMs, latency.processingMs)
  }

  private var playback: String {
    String(
      format:
        "playback     at least %.1f ms buffered, drift %+.0f ppm, %d underruns, %d samples skipped",
      status.flow.playbackBufferMs, status.flow.playbackDriftPpm, status.flow.playbackUnderruns,
      status.flow.playbackSamplesSkipped)
  }

  private var flow: String {
    "flow         \(status.flow.sessions) session\(status.flow.sessions == 1 ? "" : "s"), "
      + "\(status.flow.framesConcealed) frames concealed, "
      + "\(status.flow.framesDropped) dropped, \(status.flow.framesUnsent) unsent"
  }

  private var otherPrograms: [String] {
    guard status.hasOtherPrograms else { return [] }
    let others = status.otherPrograms
    guard others.connected else {
      return ["other sound  the sound server is away: \(others.problem)"]
    }
    let count = others.loweredStreams
    let streams = "\(count) stream\(count == 1 ? "" : "s") of other programs"
    return [String(format: "other sound  %@ lowered by %.1f dB", streams, -others.gainDb)]
  }

  private var switching: [String] {
    guard status.hasSwitching else { return [] }
    let switching = status.switching
    let arbiter =
      switching.connected
      ? "the arbiter answers"
      : switching.localPolicy
        ? "this machine decides alone: \(switching.problem)"
        : "the last decision counts: \(switching.problem)"
    let media = switching.mediaPaused ? "; media is paused for a call" : ""
    return ["switching    machine \(switching.machine), \(arbiter)\(media)"]
      + switching.decisions.map { decision in
        let holder = decision.holder.isEmpty ? "no machine" : decision.holder
        let chosen = decision.chosen ? ", chosen by a person" : ""
        return "             \(decision.headset): used by \(holder)\(chosen)"
      }
  }

  private var echo: String {
    guard status.stats.hasEcho, status.stats.echo.hasEchoReturnLossEnhancementDb else {
      return "echo         unknown so far"
    }
    let delay = status.stats.echo.delay
    return String(
      format: "echo         reduced by %.1f dB, %.0f ms behind the reference%@",
      status.stats.echo.echoReturnLossEnhancementDb,
      Double(delay.seconds) * 1000 + Double(delay.nanos) / 1e6,
      status.stats.echo.converged ? "" : ", still converging")
  }
}
