/// The engines of a program. One of them is the default.
public struct EngineCatalog: Sendable {
  /// The engines, the default first. No two have the same name.
  public let engines: [any VoiceEngine.Type]

  public init(_ defaultEngine: any VoiceEngine.Type, _ others: any VoiceEngine.Type...) {
    self.init([defaultEngine] + others)
  }

  private init(_ engines: [any VoiceEngine.Type]) {
    self.engines = engines
    precondition(Set(names).count == engines.count, "two engines with one name: \(names)")
  }

  public var defaultEngine: any VoiceEngine.Type { engines[0] }

  /// The names of the engines, the default first.
  public var names: [String] { engines.map { $0.identity.name } }

  /// Prepares all engines. Programs call this when they start.
  public func prepare() throws(EngineError) {
    for engine in engines { try engine.prepare() }
  }

  /// Returns the engine with this name, or the default engine for an empty name.
  public func engine(named name: String) throws(UnknownEngineError) -> any VoiceEngine.Type {
    guard !name.isEmpty else { return defaultEngine }
    guard let engine = engines.first(where: { $0.identity.name == name }) else {
      throw UnknownEngineError(name: name, known: names)
    }
    return engine
  }

  /// Returns a catalog of the same engines in which the engine with this name is the default.
  public func preferring(_ name: String) throws(UnknownEngineError) -> EngineCatalog {
    let preferred = try engine(named: name)
    return EngineCatalog([preferred] + engines.filter { $0 != preferred })
  }
}

/// The error for a name that no engine of a catalog has.
public struct UnknownEngineError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The most characters of an unknown name that the description contains.
  private static let mostCharacters = 63

  public let name: String
  /// The names of the catalog's engines.
  public let known: [String]

  public var description: String {
    // In quotation marks, and without characters that control a terminal.
    let shown = name.unicodeScalars.prefix(Self.mostCharacters)
    let end = shown.endIndex < name.unicodeScalars.endIndex ? "…" : ""
    let quoted = (String(shown) + end).debugDescription
    return "\(quoted) is not an engine of this program; use \(known.joined(separator: " or "))"
  }
}
