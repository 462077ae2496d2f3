internal import AnechoicAPI
internal import CommandLineSupport
internal import Foundation
internal import Operations
internal import VoiceEngines

/// The build of the server, for GET /version and the metric `anechoic_build_info`.
struct BuildInformation: Encodable {
  struct Engine: Encodable {
    let name: String
    let version: String
    /// The SHA-256 digest of the weights. Nil for an engine without weights.
    let weights: String?
  }

  let version = anechoicVersion
  let commit = Build.commit
  let swift = Build.compiler
  let engines: [Engine]

  init(_ catalog: EngineCatalog) {
    engines = catalog.engines.map { engine in
      let identity = engine.identity
      return Engine(
        name: identity.name, version: identity.version,
        weights: identity.weights.isEmpty ? nil : identity.weights)
    }
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  func add(to registry: MetricsRegistry) {
    registry.gauge(.buildInfo, version, swift, commit).set(1)
  }

  private enum CodingKeys: String, CodingKey { case version, commit, swift, engines }
}
