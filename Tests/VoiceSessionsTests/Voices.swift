import AudioCore
import Resampling
import SpeechSynthesis

/// What the two sides say, spoken by eSpeak NG with voices that do not draw from `rand()`: the same
/// every time.
enum Voices {
  static let rate = SampleRate.hz16000

  /// Some 20 s, with few pauses.
  static let far = Task {
    try await speak(
      """
      Good morning. The new microphones came in today, and two of them are in the meeting room. \
      Could you tell me how I sound before the others join? I moved the loudspeaker to the window, \
      because the table shook whenever somebody put down a cup. Yesterday we lost almost an hour to \
      a cable that nobody had looked at for years. Let us go through the list once more. The first \
      item is the budget for next spring, the second is the train to Rotterdam.
      """, "en-gb+m3")
  }

  /// Some 5 s.
  static let near = Task {
    try await speak(
      """
      Yes, you are loud and clear. There is a fan on my desk, say if it bothers you. I can close \
      the window too if you want.
      """, "en-us+f1")
  }

  /// The first seconds of what the far end says.
  static func far(seconds: Double) async throws -> [Float] {
    Array(try await far.value.prefix(Int(seconds * Double(rate.hertz))))
  }

  /// What the near end says, from so many seconds on.
  static func near(after seconds: Double) async throws -> [Float] {
    [Float](repeating: 0, count: Int(seconds * Double(rate.hertz))) + (try await near.value)
  }

  /// With a peak at -6 dBFS.
  private static func speak(_ text: String, _ voice: String) async throws -> [Float] {
    let speech = try await SpeechSynthesizer.shared.speak(text, voice: voice)
    let resampler = try StreamResampler(from: speech.sampleRate, to: rate)
    let samples = resampler.process(speech.samples, isLast: true)
    let peak = samples.reduce(0) { max($0, abs($1)) }
    return samples.map { $0 * 0.5 / peak }
  }
}
