internal import AudioCore

/// The echo reduction of a recording: the difference in level between the microphone and the output
/// while the far end plays, from the third second of its sound on.
///
/// Echo cancellation, noise suppression and gain control all contribute. Muted frames do not count. A
/// voice of the near end lowers the figure of all frames, because it remains. Where no voice was found,
/// only echo and noise should be left, but an echo that was taken for a voice is not in this figure.
package enum EchoReduction: Equatable, Sendable {
  /// The reduction in dB in all frames, and in those without found voice. The latter is nil if voice
  /// was found in all of them.
  case measured(all: Float, withoutVoice: Float?)
  /// The session was muted whenever the far end played.
  case muted
  /// The far end plays for less than two seconds.
  case notPlayed

  package init(_ call: ProcessedCall) {
    var (all, withoutVoice) = (Powers(), Powers())
    let places = call.farEnd
    for place in places where !call.muted[place.output] {
      let (before, after) = (call.microphone[place.input], call.output[place.output])
      all.add(before, after)
      if !call.voice[place.output] { withoutVoice.add(before, after) }
    }
    if let reduction = all.reduction {
      self = .measured(all: reduction, withoutVoice: withoutVoice.reduction)
    } else {
      self = places.contains { call.muted[$0.output] } ? .muted : .notPlayed
    }
  }

  private struct Powers {
    private var before: Float = 0
    private var after: Float = 0

    mutating func add(_ before: Float, _ after: Float) {
      self.before += before
      self.after += after
    }

    /// In dB. Nil if the microphone was silent.
    var reduction: Float? {
      guard before > 0 else { return nil }
      return Decibels.level(meanSquare: before) - Decibels.level(meanSquare: after)
    }
  }
}
