internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

struct MuteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute the microphone.")

  @OptionGroup var agent: AgentOptions

  func run() async throws { try await agent.setMute(true) }
}

struct UnmuteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Unmute the microphone.")

  @OptionGroup var agent: AgentOptions

  func run() async throws { try await agent.setMute(false) }
}

extension AgentOptions {
  /// Mutes or unmutes, and prints the resulting state.
  func setMute(_ muted: Bool) async throws {
    do {
      let before = try await status()
      let state = try await sessions().setMute(before.session, muted: muted).state
      if json { return print(try state.jsonLine()) }
      let isOff = before.muteHolders.contains(.hardware)
      print(state.muted ? "muted" : isOff ? "muted by the device's switch" : "not muted")
    } catch let status as Status {
      throw failure(status)
    }
  }
}

struct RouteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "route", abstract: "Show the route, or choose a port while it is plugged in.")

  @OptionGroup var agent: AgentOptions

  @Argument(help: "The id of the port, or \"automatic\" to follow the configuration.")
  var port: String?

  func run() async throws {
    var status = try await agent.status()
    if let port {
      let response: Anechoic_V1_ChooseRouteResponse = try await agent.ask(
        RPC.chooseRoute,
        Anechoic_V1_ChooseRouteRequest.with { $0.portID = port == "automatic" ? "" : port })
      status = response.status
    }
    for known in status.ports {
      if agent.json {
        print(try known.jsonLine())
      } else {
        print(
          "\(known.port.portID == status.route ? "*" : " ") \(known.port.portID)"
            + "  \(known.port.displayName)\(known.present ? "" : "  (not plugged in)")")
      }
    }
  }
}

struct MicrophoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "microphone",
    abstract: "Set up the two microphones of the port in use.",
    discussion: "Lasts until the agent stops. To keep it, set pattern and turned of the port.")

  @OptionGroup var agent: AgentOptions

  @Argument(help: "The direction in which both hear together: none, cardioid or stereo.")
  var pattern: Pattern

  @Flag(help: "The device is held the other way round.")
  var turned = false

  enum Pattern: String, ExpressibleByArgument, CaseIterable {
    case none, cardioid, stereo
  }

  func validate() throws {
    guard pattern != .none || !turned else { throw ValidationError("--turned needs a direction.") }
  }

  func run() async throws {
    let request = Anechoic_V1_SetUpMicrophoneRequest.with {
      if pattern != .none { $0.pattern = pattern == .cardioid ? .cardioid : .stereo }
      $0.turned = turned
    }
    let response: Anechoic_V1_SetUpMicrophoneResponse = try await agent.ask(
      RPC.setUpMicrophone, request)
    if agent.json { return print(try response.status.jsonLine()) }
    print("\(pattern.rawValue)\(turned ? ", turned" : "")")
  }
}

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Play a chirp, and measure its level, delay and echo at the microphone.",
    discussion: "Exits with 1 if the microphone does not hear the chirp.")

  @OptionGroup var agent: AgentOptions

  func run() async throws {
    let result: Anechoic_V1_TestAudioResponse = try await agent.ask(
      RPC.testAudio, Anechoic_V1_TestAudioRequest(), timeout: .seconds(15))
    if agent.json { return print(try result.jsonLine()) }
    print(
      "level        \(rounded(result.levelDbfs)) dBFS, noise \(rounded(result.noiseDbfs)) dBFS"
    )
    guard result.heard else {
      throw CommandError(
        "the microphone does not hear the loudspeaker; check both devices and their volumes",
        code: 1)
    }
    print("round trip   \(rounded(result.roundTripMs)) ms")
    print("echo         \(rounded(result.echoReturnLossDb)) dB below the playback")
    if result.hasEchoReturnLossEnhancementDb {
      print(
        "             reduced by another \(rounded(result.echoReturnLossEnhancementDb)) dB by the server"
      )
    }
  }

  private func rounded(_ value: Float) -> String {
    "\((value * 10).rounded() / 10)"
  }
}
