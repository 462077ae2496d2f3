import Foundation
import SpeechSynthesis
import Testing

struct RefusedTextTests {
  private let synthesizer = SpeechSynthesizer.shared

  @Test(arguments: ["", " \n\t", "\u{1}\u{2}", "...", "\u{200B}"])
  func thereMustBeSomethingToSay(text: String) async {
    await #expect(throws: SpeechError.nothingToSay) { try await synthesizer.speak(text) }
  }

  @Test func aTextMustNotBeTooLong() async {
    let long = String(repeating: "a", count: SpeechSynthesizer.longestText + 1)
    await #expect(throws: SpeechError.textTooLong) { try await synthesizer.speak(long) }
    // Swift counts this text as one character.
    let accents = "a" + String(repeating: "\u{301}", count: 100_000)
    await #expect(throws: SpeechError.textTooLong) { try await synthesizer.speak(accents) }
  }

  /// The library speaks the long names of these characters.
  @Test func aTextMustNotTakeTooLongToSpeak() async {
    let long = String(repeating: "\u{1F9D6}\u{1F3FE} ", count: 2500)
    await #expect(throws: SpeechError.speechTooLong) { try await synthesizer.speak(long) }
  }

  @Test func aNulIsRefused() async {
    await #expect(throws: SpeechError.unspeakable) { try await synthesizer.speak("a\0b") }
  }

  @Test func withoutDataTheErrorNamesTheDebianPackages() async {
    await #expect(processExitsWith: .success) {
      setenv("ESPEAK_DATA_PATH", "/dev", 1)
      await #expect(throws: SpeechError.unavailable) {
        try await SpeechSynthesizer.shared.speak("Hello")
      }
      #expect(SpeechError.unavailable.description.contains("espeak-ng-data"))
    }
  }
}
