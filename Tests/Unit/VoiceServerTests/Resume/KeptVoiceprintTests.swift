import AnechoicAPI
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// The voice that the next session learns.
struct KeptVoiceprintTests {
  private let ended = Anechoic_V1_SessionEvent.with {
    $0.microphoneSample = 100
    $0.sessionEnded.reason = .idle
  }

  private func failed(_ failure: Anechoic_V1_VoiceEnrollmentChanged.Failure, at sample: Int64)
    -> Anechoic_V1_SessionEvent
  {
    .with {
      $0.microphoneSample = sample
      $0.voiceEnrollmentChanged.failure = failure
    }
  }

  private func learns(after events: Anechoic_V1_SessionEvent...) -> Bool {
    var voice = KeptVoiceprint(.with { $0.enrollVoice = true })
    for event in events { voice.record(event) }
    return voice.isEnrolling
  }

  @Test func anEnrollmentThatTheEndOfItsSessionCutShortIsMadeAgain() {
    #expect(learns(after: ended))
    #expect(learns(after: failed(.tooLittleVoice, at: 100), ended))
  }

  @Test func anEnrollmentThatFailedIsNot() {
    #expect(!learns(after: failed(.tooLittleVoice, at: 50), ended))
    #expect(!learns(after: failed(.severalVoices, at: 100), ended))
    #expect(!learns(after: failed(.tooLittleVoice, at: 100)))
  }
}
