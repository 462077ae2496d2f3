/// The order of what waits for processed sound: pieces of sound, and items that follow them.
struct Ledger<Item> {
  /// A piece whose sound is processed, or an item without sound.
  struct Settled {
    let item: Item
    let samples: [Int16]
  }

  private struct Entry {
    /// Nil for sound that has no use.
    let item: Item?
    let count: Int
    var samples: [Int16] = []
  }

  private var entries: [Entry] = []
  /// The number of pieces and items that wait, and of items without sound among them.
  private(set) var count = 0
  private(set) var silentCount = 0

  /// Adds a piece of `count` samples that will come, or an item without sound.
  mutating func add(_ item: Item, count: Int = 0) {
    // An item without sound does not wait for sound that has no use.
    let place = entries.lastIndex { $0.item != nil }.map { $0 + 1 } ?? 0
    entries.insert(Entry(item: item, count: count), at: count == 0 ? place : entries.count)
    self.count += 1
    if count == 0 { silentCount += 1 }
  }

  /// Adds sound that has no use.
  mutating func addFiller(_ count: Int) { entries.append(Entry(item: nil, count: count)) }

  /// Takes the next processed samples. Returns what is complete with them.
  mutating func settle(_ samples: [Int16]) -> [Settled] {
    var rest = samples[...]
    var settled: [Settled] = []
    var done = 0
    while done < entries.count {
      let missing = entries[done].count - entries[done].samples.count
      entries[done].samples += rest.prefix(missing)
      rest = rest.dropFirst(missing)
      guard entries[done].samples.count == entries[done].count else { break }
      if let item = entries[done].item {
        count -= 1
        if entries[done].count == 0 { silentCount -= 1 }
        settled.append(Settled(item: item, samples: entries[done].samples))
      }
      done += 1
    }
    entries.removeFirst(done)
    return settled
  }
}
