/// The signs of a call.
struct CallSigns: OptionSet, Sendable {
  let rawValue: UInt8

  /// The configuration makes the time in which the agent runs one call.
  static let configuration = CallSigns(rawValue: 1)
  /// The agent cannot see whether a program uses the voice.
  static let unseen = CallSigns(rawValue: 2)
  /// A program reads the voice from its FIFO.
  static let voiceRead = CallSigns(rawValue: 4)
  /// The far end sounds, or did a moment ago.
  static let farEnd = CallSigns(rawValue: 8)
  /// A program on the desktop records.
  static let recording = CallSigns(rawValue: 16)
  /// A program asked for a call.
  static let request = CallSigns(rawValue: 32)

  /// The signs of a program that takes part in the call.
  static let programs: CallSigns = [.voiceRead, .recording, .request]
}

/// The rule that decides when a call begins and when it ends, without I/O. Times are in ns of the
/// monotonic clock. Allocates nothing.
struct CallRule: Sendable, Equatable {
  /// The longest pause in ns of a program that reads the voice and opens the FIFO again.
  static let readerPause: Int64 = 150_000_000

  private let begin: EdgeConfiguration.Calls.Begin
  /// Whether the agent can see the programs that use the voice.
  private let seesPrograms: Bool
  private var lastRead: Int64 = 0
  /// Whether the far end's sound is left over from a call that a program has ended.
  private var farEndIsOver = false
  /// The signs that keep the call. Empty between calls.
  private(set) var signs: CallSigns = []

  init(begin: EdgeConfiguration.Calls.Begin, seesPrograms: Bool) {
    (self.begin, self.seesPrograms) = (begin, seesPrograms)
  }

  var isOn: Bool { !signs.isEmpty }

  /// Whether the far end's sound begins a call. It does not while it is left over from the last one.
  var hearsFarEnd: Bool { begin == .automatic && seesPrograms && !farEndIsOver }

  /// Decides by the signs that are seen now. Returns whether the signs that keep the call have changed.
  mutating func update(_ seen: CallSigns, now: Int64) -> Bool {
    let before = signs
    switch begin {
    case .always: signs = seen.intersection(.request).union(.configuration)
    case .request: signs = seen.intersection(.request)
    case .automatic where !seesPrograms: signs = seen.intersection(.request).union(.unseen)
    case .automatic: signs = automatic(seen, now: now)
    }
    return signs != before
  }

  private mutating func automatic(_ seen: CallSigns, now: Int64) -> CallSigns {
    var new = seen
    if seen.contains(.voiceRead) {
      lastRead = now
    } else if signs.contains(.voiceRead), now - lastRead < Self.readerPause {
      new.insert(.voiceRead)
    }
    // A call that a program took part in ends with the last program, whatever still sounds.
    if !seen.contains(.farEnd) { farEndIsOver = false }
    if !signs.isDisjoint(with: .programs), new.isDisjoint(with: .programs) { farEndIsOver = true }
    if farEndIsOver { new.remove(.farEnd) }
    return new
  }
}
