import SpeechSynthesis
import Testing

struct VoiceTests {
  private let synthesizer = SpeechSynthesizer.shared

  @Test func aVoiceIsCalledByItsLanguageOrItsName() async throws {
    let american = try await synthesizer.speak("Hello", voice: "en-us")
    #expect(try await synthesizer.speak("Hello", voice: "EN-US") == american)
    #expect(try await synthesizer.speak("Hello", voice: "English_(America)") == american)
    #expect(try await synthesizer.speak("Hello", voice: "English (America)") == american)
    #expect(try await synthesizer.speak("Hello", voice: "en") != american)
  }

  @Test func theDefaultIsEnglish() async throws {
    let english = try await synthesizer.speak("Hello", voice: "en")
    #expect(try await synthesizer.speak("Hello") == english)
    #expect(try await synthesizer.speak("Hello", voice: "+f3") != english)
  }

  @Test func twoVoicesAndTwoVariantsDiffer() async throws {
    let voices = ["en", "de", "en+f3", "en+m3"]
    var spoken: [Speech] = []
    for voice in voices { spoken.append(try await synthesizer.speak("Hello", voice: voice)) }
    for index in spoken.indices {
      #expect(!spoken[..<index].contains(spoken[index]), "\(voices[index])")
    }
  }

  @Test func everyListedVoiceCanBeSpokenWith() async throws {
    let voices = try await synthesizer.voices()
    #expect(voices.count > 50)
    for voice in voices {
      try await synthesizer.check(voice: voice.name)
      for language in voice.languages { try await synthesizer.check(voice: language) }
      #expect(try await !synthesizer.speak("Hello, a b c", voice: voice.name).samples.isEmpty)
    }
  }

  @Test(arguments: [
    "nonsense", "en+nobody", "en+", "en+f3+f3", "../../etc/passwd", "/dev/stdin", "gmw", " ",
    "en\0",
  ])
  func anUnknownVoiceIsRefused(name: String) async {
    await expectRefusal(of: name)
  }

  @Test func aNameOfAnyLengthIsRefused() async {
    await expectRefusal(of: String(repeating: "e", count: 100_000))
  }

  private func expectRefusal(of name: String) async {
    let error = SpeechError.unknownVoice(String(name.prefix(64)))
    await #expect(throws: error) { try await synthesizer.check(voice: name) }
    await #expect(throws: error) { try await synthesizer.speak("Hello", voice: name) }
  }
}
