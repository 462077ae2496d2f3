internal import AudioCore
internal import Foundation

/// What a job did, in a few lines.
struct JobSummary {
  let duration: Duration
  let took: Duration
  /// In dB; nil where the far end never talked alone.
  let echoReduction: Float?
  let speechCount: Int
  let speechDuration: Duration

  init(
    _ sent: Sender.Levels, _ found: Receiver.Findings, sampleCount: Int, rate: SampleRate,
    algorithmicDelay: Duration, took: Duration
  ) {
    duration = rate.duration(ofSamples: sampleCount)
    self.took = took
    echoReduction = sent.reference.flatMap { reference in
      EchoReduction(microphone: sent.microphone, reference: reference, delay: algorithmicDelay)
        .measure(processed: found.levels, voice: found.voice)
    }
    speechCount = found.speech.count
    speechDuration = rate.duration(ofSamples: found.speech.reduce(0) { $0 + $1.count })
  }

  var text: String {
    let echo = echoReduction.map { String(format: "%.1f dB where only the far end talks", $0) }
    return """
      duration        \(Self.seconds(duration)) s, processed in \(Self.seconds(took)) s \
      (\(String(format: "%.3f", took / duration)) of real time)
      echo reduction  \(echo ?? "not measured: the far end never talks alone")
      speech found    \(Self.seconds(speechDuration)) s in \(speechCount) \
      part\(speechCount == 1 ? "" : "s")

      """
  }

  private static func seconds(_ duration: Duration) -> String {
    String(format: "%.2f", duration / .seconds(1))
  }
}
