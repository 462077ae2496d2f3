/// The programs that asked for a call.
struct CallHolders: Sendable, Equatable {
  /// The maximum number of holders.
  static let most = 64

  /// The holders that began a call, until they end it.
  private var begun: Set<String> = []
  /// The number of open streams of each holder.
  private var held: [String: Int] = [:]

  var isEmpty: Bool { begun.isEmpty && held.isEmpty }

  /// The names, in order.
  var names: [String] { begun.union(held.keys).sorted() }

  private var count: Int { begun.count + held.values.reduce(0, +) }

  /// Adds a holder. Returns false if there are too many.
  mutating func begin(_ name: String) -> Bool {
    guard begun.contains(name) || count < Self.most else { return false }
    begun.insert(name)
    return true
  }

  /// Removes a holder, or all for an empty name. Returns false if there is none.
  mutating func end(_ name: String) -> Bool {
    if !name.isEmpty { return begun.remove(name) != nil }
    begun = []
    return true
  }

  /// Adds a holder for the time of a stream. Returns false if there are too many.
  mutating func hold(_ name: String) -> Bool {
    guard count < Self.most else { return false }
    held[name, default: 0] += 1
    return true
  }

  /// Removes the holder of a stream that has ended.
  mutating func release(_ name: String) {
    guard let count = held[name] else { return }
    held[name] = count > 1 ? count - 1 : nil
  }
}
