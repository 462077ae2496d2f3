internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import Settings
internal import VoiceEdge

/// The options that set an agent's configuration. A flag takes precedence over an environment
/// variable, and a variable over the file.
struct ConfigurationOptions: ParsableArguments {
  static let defaultFile = "/etc/anechoic/anechoic-edge.yaml"

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The configuration file. (default: \(Self.defaultFile), if it exists)", valueName: "file"))
  var config: String?

  @Option(help: "The address of the server: HOST:PORT, [IPv6]:PORT or unix:PATH.")
  var server: String?

  @Option(
    help: ArgumentHelp("A file with the token for the server.", valueName: "file"))
  var tokenFile: String?

  @Option(help: ArgumentHelp("The id of the session on the server.", valueName: "id"))
  var sessionID: String?

  @Option(
    help: ArgumentHelp(
      "Let another device play: write the ticket with which it joins into this file.",
      valueName: "file"))
  var share: String?

  @Option(
    help: ArgumentHelp(
      "Play the session of another device, whose ticket is in this file. No microphone is used.",
      valueName: "file"))
  var join: String?

  @Option(help: ArgumentHelp("The microphone, an ALSA PCM.", valueName: "pcm"))
  var input: String?

  @Option(help: ArgumentHelp("The loudspeaker, an ALSA PCM.", valueName: "pcm"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "A capture PCM with the audio that the loudspeaker plays, as the echo reference.",
      valueName: "pcm"))
  var loopback: String?

  @Option(
    help: ArgumentHelp("The mixer of the microphone, an ALSA control device.", valueName: "ctl"))
  var control: String?

  @Option(
    help: ArgumentHelp(
      "The place where programs play the far end: alsa:PCM, fifo:PATH or file:PATH.",
      valueName: "place"))
  var farEnd: String?

  @Option(
    help: ArgumentHelp(
      "The place where programs play other audio, which is ducked.", valueName: "place"))
  var otherAudio: String?

  @Option(
    help: ArgumentHelp("The place where programs record the processed voice.", valueName: "place"))
  var voice: String?

  @Option(
    help: ArgumentHelp(
      "The sample rate: 8000, 16000, 24000, 32000, 44100 or 48000.", valueName: "hz"))
  var rate: String?

  @Option(
    help: ArgumentHelp(
      "Whether a muted microphone is sent to the server: sent or stays-local.", valueName: "what"))
  var mutedAudio: String?

  @Option(
    help: ArgumentHelp(
      "The processing while there is no server: light, full, pass-through or silence.",
      valueName: "what"))
  var fallback: String?

  @Option(help: ArgumentHelp("The socket of the local control, or \"none\".", valueName: "path"))
  var controlSocket: String?

  /// Reads the configuration. Throws a `CommandFailure` that contains the error and its place. A wrong flag is wrong
  /// usage.
  func configuration() throws(CommandFailure) -> EdgeConfiguration {
    var overrides = EdgeConfiguration.Overrides(environment: ProcessInfo.processInfo.environment)
    let flags = [
      ("server.address", server, "--server"),
      ("server.token-file", tokenFile, "--token-file"), ("session.id", sessionID, "--session-id"),
      ("session.share", share, "--share"), ("session.join", join, "--join"),
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
    do throws(SettingsError) {
      (configuration, files) = try EdgeConfiguration.read(text, file: file, overrides)
    } catch {
      throw CommandFailure(
        error.description, code: error.isOfFlag ? CommandFailure.wrongUsage : CommandFailure.failed)
    }
    try Self.checkNoFolders(
      configuration.microphone.lamps + configuration.mute.lamps
        + [
          configuration.programs.desktopMemory, configuration.session.share,
          configuration.session.join,
        ].compactMap { $0 })
    if let named = configuration.audio.tuning {
      guard let tunings = try TuningFile.read(named.path) else {
        throw CommandFailure("\(named.place): \(named.path): no such file")
      }
      configuration.tunings = tunings
      for port in configuration.routes.ports {
        guard let product = port.product, tunings.products[product] == nil else { continue }
        throw CommandFailure(
          "\(named.path): there is no product \"\(product)\", which port \(port.id) names")
      }
    }
    if files.isWanted { configuration.server.security = try Self.security(files) }
    return configuration
  }

  /// Throws if the path of a file is a folder. A file that does not exist may come later.
  private static func checkNoFolders(_ paths: [String]) throws(CommandFailure) {
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
      else { continue }
      throw CommandFailure("\(path): this is a folder; name a file")
    }
  }

  /// Returns the text of the file. If the default file does not exist, returns an empty text.
  private func text(of file: String) throws(CommandFailure) -> String {
    if config == nil, !FileManager.default.fileExists(atPath: file) { return "" }
    let bytes = try ShortFile.read(file, title: file, atMost: EdgeConfiguration.longestFile)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure("\(file): the file is not text")
    }
    return text
  }

  private static func security(
    _ files: EdgeConfiguration.SecurityFiles
  ) throws(CommandFailure) -> ChannelSecurity {
    func file(_ named: EdgeConfiguration.NamedFile?) -> CertificateFile? {
      named.map { CertificateFile($0.path, namedBy: $0.place) }
    }
    return try CertificateFiles.channelSecurity(
      authorities: file(files.authorities), certificate: file(files.certificate),
      key: file(files.key), serverName: files.serverName)
  }
}
