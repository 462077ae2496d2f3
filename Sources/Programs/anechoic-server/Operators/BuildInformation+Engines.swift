internal import AnechoicAPI
internal import CommandLineSupport
internal import Operations
internal import VoiceEngines

extension BuildInformation {
  /// The build of the server, with the engines of a catalog.
  init(_ catalog: EngineCatalog) {
    let engines = catalog.engines.map { engine in
      let identity = engine.identity
      return Engine(
        name: identity.name, version: identity.version,
        weights: identity.weights.isEmpty ? nil : identity.weights)
    }
    self.init(
      version: anechoicVersion, commit: Build.commit, swift: Build.compiler, engines: engines)
  }
}
