internal import AudioCodecs
internal import AudioCore
internal import SpeechSynthesis

/// Speech at 48 kHz and -26 dBFS, spoken by eSpeak NG.
struct Voices {
  /// The far end's speech, about 20 s without long pauses.
  let farEnd: [Float]
  let nearEnd: [Float]

  init() async throws {
    farEnd = try await Self.speak(
      """
      The ticket office is closed on Sundays, but the machines in the hall take coins and cards. \
      If your train is late you may use the next one, and the one after it as well. Please keep \
      this receipt until the end of your journey, and show it when you are asked to. Bicycles \
      travel in the last coach. We wish you a pleasant journey and thank you for your patience.
      """, "en+m3")
    nearEnd = try await Self.speak(
      "Good morning. I would like to know when the next train to the coast leaves, please.", "en+f2"
    )
  }

  private static func speak(_ text: String, _ voice: String) async throws -> [Float] {
    let speech = try await SpeechSynthesizer.shared.speak(text, voice: voice)
    let samples = try StreamResampler(from: speech.sampleRate, to: .hz48000)
      .process(speech.samples, isLast: true)
    let power = samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))
    let gain = 0.05 / max(power.squareRoot(), 1e-6)
    return samples.map { $0 * gain }
  }
}
