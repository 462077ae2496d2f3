@testable import anechoic_bridge

/// A voice that returns its microphone after a delay, as a server does that changes nothing.
final class ScriptedVoice: CleanedVoice {
  private var waiting: [Int16]
  var changes: [VoiceChange] = []
  private(set) var microphone: [Int16] = []
  private(set) var reference: [Int16] = []
  private(set) var isClosed = false

  init(delay: Int) { waiting = [Int16](repeating: 0, count: delay) }

  func push(_ microphone: [Int16], reference: [Int16]) {
    self.microphone += microphone
    self.reference += reference
    waiting += microphone
  }

  func pull(_ count: Int) -> [Int16] {
    defer { waiting.removeFirst(count) }
    return Array(waiting.prefix(count))
  }

  func nextChange() -> VoiceChange? { changes.isEmpty ? nil : changes.removeFirst() }

  func close() { isClosed = true }
}
