internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import VoiceEdge

/// Where an agent's configuration comes from: flags before the environment, before the file.
struct ConfigurationOptions: ParsableArguments {
  static let defaultFile = "/etc/anechoic/anechoic-edge.yaml"

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The configuration. (default: \(Self.defaultFile), where there is one)", valueName: "file"))
  var config: String?

  @Option(help: "The server: HOST:PORT or unix:PATH.")
  var server: String?

  @Option(help: ArgumentHelp("The session's id on the server.", valueName: "id"))
  var sessionID: String?

  @Option(help: ArgumentHelp("The microphone, an ALSA PCM.", valueName: "pcm"))
  var input: String?

  @Option(help: ArgumentHelp("The loudspeaker, an ALSA PCM.", valueName: "pcm"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "A capture PCM that gives what the loudspeaker plays: the echo's reference.",
      valueName: "pcm"))
  var loopback: String?

  @Option(help: ArgumentHelp("The mixer of the microphone.", valueName: "ctl"))
  var control: String?

  @Option(
    help: ArgumentHelp(
      "Where programs play the far end: alsa:PCM, fifo:PATH or file:PATH.", valueName: "place"))
  var farEnd: String?

  @Option(
    help: ArgumentHelp("Where programs play other audio, which is ducked.", valueName: "place"))
  var otherAudio: String?

  @Option(help: ArgumentHelp("Where programs record the processed voice.", valueName: "place"))
  var voice: String?

  @Option(help: ArgumentHelp("Samples a second: 8000 to 48000.", valueName: "hz"))
  var rate: String?

  @Option(help: ArgumentHelp("What a muted microphone is: sent or stays-local.", valueName: "what"))
  var mutedAudio: String?

  @Option(
    help: ArgumentHelp(
      "What is done without a server: light, full, pass-through or silence.", valueName: "what"))
  var fallback: String?

  @Option(help: ArgumentHelp("The socket of the local control, or none.", valueName: "path"))
  var controlSocket: String?

  /// Throws a `CommandFailure` that names what is wrong, and where.
  func configuration() throws(CommandFailure) -> EdgeConfiguration {
    var overrides = EdgeConfiguration.Overrides(environment: ProcessInfo.processInfo.environment)
    let flags = [
      ("server.address", server, "--server"), ("session.id", sessionID, "--session-id"),
      ("routes.input", input, "--input"), ("routes.output", output, "--output"),
      ("routes.loopback", loopback, "--loopback"), ("routes.control", control, "--control"),
      ("programs.far-end", farEnd, "--far-end"),
      ("programs.other-audio", otherAudio, "--other-audio"), ("programs.voice", voice, "--voice"),
      ("audio.rate", rate, "--rate"), ("mute.muted-audio", mutedAudio, "--muted-audio"),
      ("fallback", fallback, "--fallback"),
      ("control-socket", controlSocket, "--control-socket"),
    ]
    for (path, value, flag) in flags { overrides.set(path, value, flag: flag) }
    let file = config ?? Self.defaultFile
    var configuration: EdgeConfiguration
    let files: EdgeConfiguration.SecurityFiles
    let text = try text(of: file)
    do throws(ConfigurationError) {
      (configuration, files) = try EdgeConfiguration.read(text, file: file, overrides)
    } catch {
      throw CommandFailure(error.description)
    }
    if files.isWanted { configuration.server.security = try Self.security(files) }
    return configuration
  }

  /// Only a file that was asked for has to be there.
  private func text(of file: String) throws(CommandFailure) -> String {
    if config == nil, !FileManager.default.fileExists(atPath: file) { return "" }
    let bytes = try ShortFile.read(file, title: file, atMost: EdgeConfiguration.longestFile)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure("\(file): is no text")
    }
    return text
  }

  private static func security(
    _ files: EdgeConfiguration.SecurityFiles
  ) throws(CommandFailure) -> ChannelSecurity {
    func file(_ named: EdgeConfiguration.SecurityFiles.File?) -> CertificateFile? {
      named.map { CertificateFile($0.path, namedBy: $0.place) }
    }
    return try CertificateFiles.channelSecurity(
      authorities: file(files.authorities), certificate: file(files.certificate),
      key: file(files.key), serverName: files.serverName)
  }
}
