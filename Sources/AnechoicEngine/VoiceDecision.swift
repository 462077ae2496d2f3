/// Whether there is a voice, decided from its probability with hysteresis.
struct VoiceDecision {
  private static let onset: Float = 0.5
  private static let end: Float = 0.3

  private(set) var hasVoice = false

  mutating func note(_ probability: Float) {
    hasVoice = probability >= (hasVoice ? Self.end : Self.onset)
  }
}
