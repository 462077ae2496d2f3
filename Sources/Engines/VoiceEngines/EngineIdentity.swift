/// The name, version and weights of an engine. Recordings store them, because only the same engine
/// produces the same output again.
public struct EngineIdentity: Sendable, Equatable, CustomStringConvertible {
  /// A name without slashes. Clients choose an engine by its name.
  public let name: String
  public let version: String
  /// The SHA-256 digest of the engine's weights in hexadecimal. Empty for an engine without weights.
  public let weights: String

  public init(name: String, version: String, weights: String = "") {
    self.name = name
    self.version = version
    self.weights = weights
  }

  /// Reads a name and a version in the form of `release`. Without a slash, the version is empty.
  public init(release: String, weights: String) {
    let parts = release.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      name: String(parts[0]), version: parts.count > 1 ? String(parts[1]) : "", weights: weights)
  }

  /// The name and the version: `NAME/VERSION`.
  public var release: String { "\(name)/\(version)" }

  /// The release, and the first 12 digits of the weights if the engine has weights.
  public var description: String {
    weights.isEmpty ? release : "\(release) (weights \(weights.prefix(12)))"
  }
}
