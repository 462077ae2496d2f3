internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import Settings
internal import VoiceClient

/// Asks a server on this machine whether it is serving.
struct HealthcheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck",
    abstract: "Ask the server on this machine whether it is serving.",
    discussion: """
      Reads the settings that the server reads, and asks the operators' listener. Exits with 0 if \
      the server is serving, with 1 if it is not or does not answer, and with 2 if the settings have a \
      mistake or no plaintext address. Use this command as the HEALTHCHECK of a container. It sees the variables of the container and not \
      its arguments: name the listener and the settings file with ANECHOIC_ADMIN_LISTEN and ANECHOIC_CONFIG.

        anechoic-server healthcheck
        anechoic-server healthcheck --service readiness
      """)

  @OptionGroup var file: SettingsFileOption
  @ParentCommand var server: ServeCommand

  @Option(
    help: """
      The plaintext address to ask: HOST:PORT, [IPv6]:PORT or unix:PATH. (default: --admin-listen of \
      the server, or its first address for clients if it uses plaintext)
      """)
  var address: String?

  @Option(
    help: ArgumentHelp(
      "The name to ask for: liveness, readiness or a service. (default: the server as a whole)",
      valueName: "name"))
  var service = ""

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to wait for the answer, from 1s to 1h.", valueName: "time"))
  var timeout = DurationArgument(.seconds(5))

  func validate() throws {
    if let problem = address.flatMap(ServerAddress.connectingProblem) {
      throw ValidationError("--address: \(problem).")
    }
    guard (.seconds(1) ... .seconds(3600)).contains(timeout.duration) else {
      throw ValidationError("--timeout must be from 1s to 1h.")
    }
  }

  func run() async throws {
    let address = try address ?? configuredAddress()
    do {
      let client = VoiceProcessingClient(server: address, security: .plaintext)
      let status = try await client.health(of: service, timeout: timeout.duration)
      print(status == .serving ? "SERVING" : "NOT_SERVING")
      if status != .serving { throw ExitCode(1) }
    } catch let status as Status {
      throw CommandError("\(address): \(status)", code: 1)
    }
  }

  private func configuredAddress() throws -> String {
    let settings = try server.sources(file: file.config).readForCommand().values
    guard let address = settings.healthAddress else {
      throw CommandError(
        "listen.admin: the server has no plaintext address; set one, or use --address")
    }
    return address
  }
}

extension ServerSettings {
  /// The plaintext address at which the health of the server can be asked on this machine, or nil if
  /// there is none.
  public var healthAddress: String? {
    if adminListen != Self.off { return Self.local(adminListen) }
    return listen.first { tlsCertificate == nil || $0.hasPrefix("unix:") }.map(Self.local)
  }

  /// Returns the address to connect to, for an address to listen on. A wildcard becomes the loopback.
  private static func local(_ address: String) -> String {
    switch ServerAddress(address) {
    case .host("0.0.0.0", let port): "127.0.0.1:\(port)"
    case .host("[::]", let port): "[::1]:\(port)"
    default: address
    }
  }
}
