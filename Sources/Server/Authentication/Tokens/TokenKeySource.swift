public import Foundation

/// The place of the keys that verify tokens.
public enum TokenKeySource: Sendable {
  case file(TokenKeyFile)
  case address(TokenKeyAddress)

  /// The outcome of reading the keys: their number, or the reason why the old keys remain.
  public typealias Outcome = Result<Int, TokenKeyError>

  /// The path or the address.
  public var place: String {
    switch self {
    case .file(let file): file.path
    case .address(let address): address.address
    }
  }

  /// Whether there are keys.
  public var isReady: Bool { current != nil }

  /// A warning that names the keys of the set that cannot be used and were left out, or nil.
  public var warning: String? {
    let names = current?.keys.unusable ?? []
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(TokenKeys.most).map { "\"\($0.prefix(100))\"" }
    return "\(place): \(TokenKeyError.unusable); left out: \(shown.joined(separator: ", "))"
  }

  /// The time at which the keys were fetched last. Nil for a file, and before the first fetch.
  public var fetchedAt: Date? {
    switch self {
    case .file: nil
    case .address(let address): address.fetchedAt
    }
  }

  /// Reads the keys now. If that fails, the old keys remain.
  public func reload() async -> Outcome {
    switch self {
    case .file(let file): file.reloaded()
    case .address(let address): await address.reload()
    }
  }

  /// Reads the keys again, until the task is cancelled: a file whenever it has changed, an address by
  /// the age of the keys. Reports each attempt with a file, and of an address those that fail or bring
  /// other keys.
  public func watch(
    filesEvery interval: Duration, report: @escaping @Sendable (Outcome) -> Void
  ) async {
    switch self {
    case .file(let file): await file.watch(every: interval, report: report)
    case .address(let address): await address.watch(report: report)
    }
  }

  /// The keys and the number of their version, or nil if there are none yet.
  var current: (keys: TokenKeys, version: Int)? {
    switch self {
    case .file(let file): file.current
    case .address(let address): address.current
    }
  }

  /// Looks for newer keys, because a token names one that is not known.
  func lookForNewKeys() async {
    if case .address(let address) = self { await address.fetchForToken() }
  }
}
