/// The scopes of clients by their names.
public struct ScopeMap: Sendable, Equatable {
  /// The maximum number of rules.
  public static let mostRules = 256
  /// The scopes of a name without a rule, unless others are set.
  public static let usualScopes: Set<Scope> = [.media, .read, .control]

  /// The scopes of the names that match a pattern.
  public struct Rule: Sendable, Equatable {
    /// A name in which each `*` stands for any number of characters.
    public let pattern: String
    public let scopes: Set<Scope>

    public init(pattern: String, scopes: Set<Scope>) {
      self.pattern = pattern
      self.scopes = scopes
    }

    /// Parses `PATTERN=SCOPE,SCOPE`. The last `=` ends the pattern. Returns nil if the text has
    /// another form, names an unknown scope, or is several rules with commas between them.
    public init?(_ text: String) {
      guard let equals = text.lastIndex(of: "="), equals > text.startIndex,
        let scopes = Set<Scope>(list: text[text.index(after: equals)...]),
        !Self.hasScopes(inPattern: text[..<equals])
      else { return nil }
      self.init(pattern: String(text[..<equals]), scopes: scopes)
    }

    /// Whether `=`, a scope and a comma are in a pattern, as in the one of `a=media,b=read`.
    private static func hasScopes(inPattern pattern: Substring) -> Bool {
      pattern.split(separator: "=", omittingEmptySubsequences: false).dropFirst().contains {
        let words = $0.split(separator: ",", omittingEmptySubsequences: false)
        return words.count > 1 && Set<Scope>(list: words[0]) != nil
      }
    }

    func matches(_ name: String) -> Bool {
      let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
      guard parts.count > 1, let first = parts.first, let last = parts.last else {
        return name == pattern
      }
      guard name.hasPrefix(first), name.utf8.count >= first.utf8.count + last.utf8.count,
        name.hasSuffix(last)
      else { return false }
      var rest = name.dropFirst(first.count).dropLast(last.count)
      for part in parts.dropFirst().dropLast() where !part.isEmpty {
        guard let found = rest.firstRange(of: part) else { return false }
        rest = rest[found.upperBound...]
      }
      return true
    }
  }

  /// The rules. The first one that matches a name applies.
  public var rules: [Rule]
  /// The scopes of a name that no rule matches.
  public var otherwise: Set<Scope>

  public init(_ rules: [Rule] = [], otherwise: Set<Scope> = usualScopes) {
    self.rules = rules
    self.otherwise = otherwise
  }

  public func scopes(of name: String) -> Set<Scope> {
    rules.first { $0.matches(name) }?.scopes ?? otherwise
  }
}

extension Set<Scope> {
  /// Parses names separated by commas, or `none`. Returns nil for an unknown name.
  public init?(list: some StringProtocol) {
    if list == "none" {
      self = []
      return
    }
    let names = list.split(separator: ",", omittingEmptySubsequences: false)
    let scopes = names.compactMap { Scope(rawValue: String($0)) }
    guard scopes.count == names.count else { return nil }
    self.init(scopes)
  }
}
