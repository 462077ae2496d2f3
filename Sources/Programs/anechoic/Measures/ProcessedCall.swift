internal import AudioCore

/// The levels of a recording and of its output, and what the session found, in frames of 10 ms.
package struct ProcessedCall: Sendable {
  /// The level in dBFS below which nothing is played.
  static let quietest: Float = -50
  /// The number of frames for which an echo continues after its sound.
  private static let tail = 30
  /// The number of frames with sound of the far end that the canceller may take to find the echo.
  private static let convergence = 200

  /// The mean square of each frame of the microphone.
  package let microphone: [Float]
  /// The mean square of each frame that the loudspeaker played.
  package let played: [Float]
  /// The mean square of each frame of the output.
  package let output: [Float]
  /// Whether the session found voice in each frame of the output.
  package let voice: [Bool]
  /// Whether each frame of the output was muted.
  package let muted: [Bool]
  /// The frames in which the far end or its echo sounds, from the third second of its sound on.
  let farEnd: [Place]

  /// - Parameter delay: The time by which the output follows the microphone.
  package init(
    microphone: [Float], played: [Float], output: [Float], voice: [Bool], muted: [Bool],
    delay: Duration
  ) {
    self.microphone = microphone
    self.played = played
    self.output = output
    self.voice = voice
    self.muted = muted
    let delay = Int((delay / .milliseconds(10)).rounded())
    let count = min(
      microphone.count, played.count, min(output.count, voice.count, muted.count) - delay)
    farEnd = Self.farEnd(played: played.prefix(max(0, count)), delay: delay)
  }

  /// A frame of the microphone, and the frame of the output that it became.
  struct Place {
    let input: Int
    let output: Int
  }

  /// Returns the frames in which the far end or its echo sounds, from the third second of its sound on.
  private static func farEnd(played: ArraySlice<Float>, delay: Int) -> [Place] {
    let threshold = Decibels.factor(quietest) * Decibels.factor(quietest)
    var framesSincePlayed = tail
    var framesPlayed = 0
    var places: [Place] = []
    for (index, power) in played.enumerated() {
      if power > threshold {
        framesSincePlayed = 0
        framesPlayed += 1
      } else {
        framesSincePlayed += 1
      }
      if framesSincePlayed < tail, framesPlayed > convergence {
        places.append(Place(input: index, output: index + delay))
      }
    }
    return places
  }
}
