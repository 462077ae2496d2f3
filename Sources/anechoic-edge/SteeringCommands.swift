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
  /// Mutes or unmutes, and says what holds then.
  func setMute(_ muted: Bool) async throws {
    do {
      let before = try await status()
      let state = try await sessions().setMute(before.session, muted: muted)
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
    commandName: "route", abstract: "Show the route, or choose a port for as long as it is there.")

  @OptionGroup var agent: AgentOptions

  @Argument(help: "The port's id, or \"automatic\" for what the configuration says.")
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

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Play a chirp, and say how loud, how late and how much of it the microphone hears.")

  @OptionGroup var agent: AgentOptions

  func run() async throws {
    let result: Anechoic_V1_TestAudioResponse = try await agent.ask(
      RPC.testAudio, Anechoic_V1_TestAudioRequest(), timeout: .seconds(15))
    if agent.json { return print(try result.jsonLine()) }
    print(
      "level        \(rounded(result.levelDbfs)) dBFS, in noise of \(rounded(result.noiseDbfs)) dBFS"
    )
    guard result.heard else {
      throw CommandFailure("the microphone does not hear the loudspeaker", code: 1)
    }
    print("round trip   \(rounded(result.roundTripMs)) ms")
    print("echo         \(rounded(result.echoReturnLossDb)) dB below what is played")
    if result.hasEchoReturnLossEnhancementDb {
      print(
        "             lowered by \(rounded(result.echoReturnLossEnhancementDb)) dB by the server")
    }
  }

  private func rounded(_ value: Float) -> String {
    "\((value * 10).rounded() / 10)"
  }
}
