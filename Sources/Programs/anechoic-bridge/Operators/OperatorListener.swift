internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import LinuxSystem
internal import Operations

/// A bridge as its operators see it.
protocol CallBridge: Sendable {
  var callCount: Int { get }
  var maximumCalls: Int { get }
  var isStopping: Bool { get }
}

extension CallBridge {
  /// Whether the bridge takes new calls.
  var readiness: Readiness {
    if isStopping { .stopping } else { callCount < maximumCalls ? .ready : .full }
  }
}

/// The options of the HTTP listener for the operators of a bridge.
struct OperatorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The HTTP address for operators, with metrics and health: HOST:PORT. (default: none)",
      valueName: "address"))
  var httpListen: String?

  func validate() throws {
    if let httpListen { try BridgeAddress.validate(httpListen, option: "--http-listen") }
  }

  /// Listens for operators. Returns nil without the option.
  func listen(
    for bridge: some CallBridge, _ metrics: BridgeMetrics, _ security: ListenerSecurity?
  ) throws(CommandError) -> HTTPListener? {
    guard let httpListen else { return nil }
    let registry = metrics.registry
    let build = BuildInformation(
      version: anechoicVersion, commit: Build.commit, swift: Build.compiler)
    build.add(to: registry)
    registry.gauge(.bridgeCapacity).set(Double(bridge.maximumCalls))
    registry.reading(.bridgeCalls) { Double(bridge.callCount) }
    if let security {
      registry.reading(.certificateExpiry, "server") { Double(security.certificateEnd) }
    }
    let pages = StatusPages(registry: registry, version: build.json) { bridge.readiness }
    do {
      let listener = try HTTPListener(httpListen) { request in
        pages.answer(request).map(HTTPAnswer.complete) ?? .refusal(.notFound)
      }
      BridgeLog.write("operators: http://\(listener.address)")
      return listener
    } catch {
      throw CommandError("--http-listen: \(error)")
    }
  }
}
