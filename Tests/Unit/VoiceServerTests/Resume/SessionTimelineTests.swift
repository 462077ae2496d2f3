import AnechoicAPI
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// The places that a caller sees, where the session counts in another way.
struct SessionTimelineTests {
  /// A microphone of 16 kHz, and an output of 48 kHz.
  private func timeline() -> SessionTimeline {
    SessionTimeline(
      .with {
        $0.inputs.microphone.sampleRateHz = 16_000
        $0.outputs.processed.sampleRateHz = 48_000
      })
  }

  private func place(of sample: Int64, _ timeline: SessionTimeline) -> Int64 {
    timeline.toCaller(.with { $0.audio.processed.firstSample = sample }).audio.processed.firstSample
  }

  private func event(at sample: Int64, _ timeline: SessionTimeline) -> Anechoic_V1_SessionEvent {
    timeline.toCaller(
      .with {
        $0.event.microphoneSample = sample
        $0.event.turnStarted.beganAtSample = sample - 100
      }
    ).event
  }

  @Test func aNewSessionBeginsWhereTheCallerIs() {
    var timeline = timeline()
    timeline.move(to: 1600)
    #expect(place(of: 0, timeline) == 4800 && place(of: 480, timeline) == 5280)
    #expect(event(at: 200, timeline).microphoneSample == 1800)
    #expect(event(at: 200, timeline).turnStarted.beganAtSample == 1700)
    #expect(timeline.microphoneIndex(ofProcessed: 480) == 1760)
  }

  /// The output of before the gap comes after the connection is back.
  @Test func whatIsFromBeforeALongGapKeepsItsPlace() {
    var timeline = timeline()
    timeline.move(to: 32_000, from: 16_000)
    #expect(place(of: 47_997, timeline) == 47_997)
    #expect(place(of: 48_000, timeline) == 144_000)
    #expect(event(at: 15_999, timeline).microphoneSample == 15_999)
    #expect(event(at: 16_000, timeline).turnStarted.beganAtSample == 47_900)
    #expect(timeline.microphoneIndex(ofProcessed: 48_000) == 16_000)
    #expect(timeline.microphoneIndex(ofProcessed: 48_003) == 48_001)
  }
}
