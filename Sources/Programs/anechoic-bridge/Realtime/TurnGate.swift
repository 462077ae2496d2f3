/// The rule that sends only the sound of turns, with half a second before each, to an upstream that finds no
/// turns itself. The upstream would otherwise hear, and count, all silence between two turns.
struct TurnGate {
  /// The sound before a turn that is sent with it, in seconds.
  private static let preRoll = 0.5

  private let most: Int
  private var kept: [Int16] = []
  private(set) var isOpen = true
  /// Whether all sound from half a second ago on is kept, because it may belong to a turn.
  var keepsAll = false

  /// Begins open, so that all sound passes. `rate` is in Hz.
  init(rate: Int) { most = Int(Self.preRoll * Double(rate)) }

  /// Returns the sound that passes.
  mutating func pass(_ samples: [Int16]) -> [Int16] {
    guard !isOpen else { return samples }
    kept += samples
    if !keepsAll { kept.removeFirst(max(0, kept.count - most)) }
    return []
  }

  /// Opens the gate. Returns the sound before.
  mutating func open() -> [Int16] {
    (isOpen, keepsAll) = (true, false)
    defer { kept = [] }
    return kept
  }

  /// Forgets the sound that is kept.
  mutating func clear() { kept = [] }

  mutating func close() {
    (isOpen, keepsAll) = (false, false)
    kept = []
  }
}
