import SpeechSynthesis
import Testing

private let fox = "The quick brown fox jumps over the lazy dog."

struct SpeechTests {
  private let synthesizer = SpeechSynthesizer.shared

  @Test func aSentenceHasAPlausibleLengthAndLevel() async throws {
    let speech = try await synthesizer.speak(fox)
    #expect(speech.sampleRate == 22050)
    let seconds = Double(speech.samples.count) / Double(speech.sampleRate)
    #expect((2...4).contains(seconds))
    let square = speech.samples.reduce(0) { $0 + $1 * $1 } / Float(speech.samples.count)
    #expect((0.03...0.3).contains(square.squareRoot()))
    #expect(speech.samples.allSatisfy { abs($0) <= 1 })
  }

  @Test func theSameTextGivesTheSameSamplesWhateverWasSpokenBefore() async throws {
    let alone = try await synthesizer.speak(fox)
    #expect(try await synthesizer.speak(fox) == alone)
    for (text, voice) in [("Guten Tag.", "de"), (fox, "en+f3"), (fox, "en+klatt"), ("1, 2", "")] {
      _ = try await synthesizer.speak(text, voice: voice)
      #expect(try await synthesizer.speak(fox) == alone)
    }
  }

  @Test(arguments: ["en+m3", "de", "fr"])
  func otherVoicesSpeakTheSameWayToo(voice: String) async throws {
    let first = try await synthesizer.speak(fox, voice: voice)
    _ = try await synthesizer.speak("And now for something else.", voice: voice)
    let isSame = try await synthesizer.speak(fox, voice: voice) == first
    #expect(isSame)
  }

  @Test func eightAtOnceGetWhatEachAloneGets() async throws {
    let voices = ["", "de", "fr", "en-us", "pt", "es", "it", "nl"]
    var alone: [Speech] = []
    for voice in voices { alone.append(try await synthesizer.speak(fox, voice: voice)) }
    let together = try await withThrowingTaskGroup(of: (Int, Speech).self) { group in
      for (index, voice) in voices.enumerated() {
        group.addTask { (index, try await SpeechSynthesizer.shared.speak(fox, voice: voice)) }
      }
      return try await group.reduce(into: [Int: Speech]()) { $0[$1.0] = $1.1 }
    }
    for (index, speech) in alone.enumerated() {
      let isSame = together[index] == speech
      #expect(isSame, "\(voices[index])")
    }
  }

  @Test func markupIsReadOutAndNotObeyed() async throws {
    let plain = try await synthesizer.speak("Hello")
    let tagged = try await synthesizer.speak(
      "<speak><prosody rate=\"x-fast\">Hello</prosody></speak>")
    #expect(tagged.samples.count > 2 * plain.samples.count)
    let quiet = try await synthesizer.speak("<audio src=\"/etc/passwd\"/>")
    #expect(quiet.samples.contains { $0 != 0 })
    // Spoken as phonemes, the text would sound like the word.
    #expect(try await synthesizer.speak("[[h@l'oU]]") != plain)
  }

  @Test func controlCharactersAreNotCommands() async throws {
    let plain = try await synthesizer.speak("One  300S two three four five")
    #expect(try await synthesizer.speak("One \u{1}300S two three four five") == plain)
  }

  @Test func aTextOfTheGreatestLengthIsSpoken() async throws {
    let text = String(repeating: "word ", count: SpeechSynthesizer.longestText / 5)
    let speech = try await synthesizer.speak(text)
    #expect(speech.samples.count > 200 * speech.sampleRate)
  }

  @Test func anyScriptIsSpoken() async throws {
    for text in ["中文", "Привет", "😀", "naïve", "a\u{301}", String(repeating: "x", count: 5000)] {
      #expect(try await !synthesizer.speak(text).samples.isEmpty)
    }
  }

  @Test func aCancelledTaskStopsBeforeTheEnd() async throws {
    let text = String(repeating: "word ", count: SpeechSynthesizer.longestText / 5)
    let task = Task { try await SpeechSynthesizer.shared.speak(text) }
    let waiting = Task { try await SpeechSynthesizer.shared.speak(text) }
    waiting.cancel()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let alone = try await synthesizer.speak(fox)
    #expect(try await synthesizer.speak(fox) == alone)
  }
}
