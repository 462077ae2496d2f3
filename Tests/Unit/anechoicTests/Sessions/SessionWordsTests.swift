import AnechoicAPI
import SwiftProtobuf
import Testing

@testable import anechoic

/// The words for the state of a session.
struct SessionWordsTests {
  private func session(_ change: (inout Anechoic_V1_Session) -> Void) -> Anechoic_V1_Session {
    .with {
      $0.name = "sessions/call-1"
      $0.owner = "kiosk"
      change(&$0)
    }
  }

  @Test func aListSaysNothingOfAVoiceThatIsNotDetected() {
    let silent = session { _ in }
    #expect(silent.line == "sessions/call-1  live  unspecified  by kiosk")
    #expect(silent.page.contains("voice         not detected"))
    let quiet = session { $0.config.voiceActivityDetection.enabled = true }
    #expect(quiet.line == "sessions/call-1  live  unspecified  quiet  by kiosk")
  }

  @Test func theVoiceOfAMutedPersonIsThatOfItsDetector() {
    var muted = session {
      $0.mute.muted = true
      $0.mutedSpeechActive = true
    }
    #expect(muted.line.contains("  muted  unspecified  talks while muted  "))
    muted.mutedSpeechActive = false
    #expect(muted.page.contains("voice         quiet"))
    muted.config.mute.mutedTalkerDetectionDisabled = true
    #expect(muted.page.contains("voice         not detected"))
    muted.config.voiceActivityDetection.enabled = true
    muted.voiceActive = true
    #expect(muted.line.contains("  talks  "))
  }
}
