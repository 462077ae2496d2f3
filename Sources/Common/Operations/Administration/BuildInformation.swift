internal import Foundation

/// The build of a program, for GET /version and the metric `anechoic_build_info`.
public struct BuildInformation: Encodable, Sendable {
  /// An engine of a server.
  public struct Engine: Encodable, Sendable {
    let name: String
    let version: String
    /// The SHA-256 digest of the weights. Nil for an engine without weights.
    let weights: String?

    public init(name: String, version: String, weights: String?) {
      self.name = name
      self.version = version
      self.weights = weights
    }
  }

  let version: String
  let commit: String
  /// The version of the compiler.
  let swift: String
  /// Nil for a program without engines.
  let engines: [Engine]?

  public init(version: String, commit: String, swift: String, engines: [Engine]? = nil) {
    self.version = version
    self.commit = commit
    self.swift = swift
    self.engines = engines
  }

  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  public func add(to registry: MetricsRegistry) {
    registry.gauge(.buildInfo, version, swift, commit).set(1)
  }
}
