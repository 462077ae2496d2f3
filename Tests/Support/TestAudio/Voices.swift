internal import AudioCodecs
public import AudioCore
internal import SpeechSynthesis

/// The speech of both sides, by eSpeak NG voices that do not use `rand()`. It is the same on every
/// run.
public enum Voices {
  public static let rate = SampleRate.hz16000

  /// About 20 s with few pauses.
  public static let far = Task {
    try await speak(
      """
      Good morning. The new microphones came in today, and two of them are in the meeting room. \
      Could you tell me how I sound before the others join? I moved the loudspeaker to the window, \
      because the table shook whenever somebody put down a cup. Yesterday we lost almost an hour to \
      a cable that nobody had looked at for years. Let us go through the list once more. The first \
      item is the budget for next spring, the second is the train to Rotterdam.
      """, "en-gb+m3")
  }

  /// About 5 s.
  public static let near = Task {
    try await speak(
      """
      Yes, you are loud and clear. There is a fan on my desk, say if it bothers you. I can close \
      the window too if you want.
      """, "en-us+f1")
  }

  /// Returns the first seconds of the far end's speech.
  public static func far(seconds: Double) async throws -> [Float] {
    Array(try await far.value.prefix(Int(seconds * Double(rate.hertz))))
  }

  /// Returns the near end's speech, beginning after a number of seconds.
  public static func near(after seconds: Double) async throws -> [Float] {
    [Float](repeating: 0, count: Int(seconds * Double(rate.hertz))) + (try await near.value)
  }

  /// Returns speech with a peak of -6 dBFS.
  private static func speak(_ text: String, _ voice: String) async throws -> [Float] {
    let speech = try await SpeechSynthesizer.shared.speak(text, voice: voice)
    let resampler = try StreamResampler(from: speech.sampleRate, to: rate)
    let samples = resampler.process(speech.samples, isLast: true)
    let peak = samples.reduce(0) { max($0, abs($1)) }
    return samples.map { $0 * 0.5 / peak }
  }
}
