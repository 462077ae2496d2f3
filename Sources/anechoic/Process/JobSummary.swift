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
  let mutedDuration: Duration
  let mutedSpeechCount: Int
  /// In dB, one for each change.
  let duckingGains: [Float]

  init(
    _ sent: SentLevels, _ found: JobFindings, sampleCount: Int, rate: SampleRate,
    algorithmicDelay: Duration, took: Duration
  ) {
    duration = rate.duration(ofSamples: sampleCount)
    self.took = took
    echoReduction = sent.played.flatMap { played in
      EchoReduction(microphone: sent.microphone, played: played, delay: algorithmicDelay)
        .measure(found)
    }
    speechCount = found.speech.count
    speechDuration = rate.duration(ofSamples: found.speech.reduce(0) { $0 + $1.count })
    mutedDuration = .milliseconds(10 * found.muted.count { $0 })
    mutedSpeechCount = found.mutedSpeechCount
    duckingGains = found.duckingGains
  }

  var text: String {
    let echo = echoReduction.map { String(format: "%.1f dB where only the far end talks", $0) }
    return """
      duration        \(Self.seconds(duration)) s, processed in \(Self.seconds(took)) s \
      (\(String(format: "%.3f", took / duration)) of real time)
      echo reduction  \(echo ?? "not measured: the far end never talks alone")
      speech found    \(Self.seconds(speechDuration)) s in \(Self.count(speechCount, "part"))
      \(occasional)
      """
  }

  /// What a job without calls and mutes has nothing of.
  private var occasional: String {
    var lines: [String] = []
    if mutedDuration > .zero { lines.append("muted           \(Self.seconds(mutedDuration)) s") }
    if mutedSpeechCount > 0 {
      lines.append("muted speech    \(Self.count(mutedSpeechCount, "time"))")
    }
    if let lowest = duckingGains.min() {
      lines.append(
        "other audio     lowered to \(String(format: "%.1f", lowest)) dB, "
          + Self.count(duckingGains.count, "change"))
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func seconds(_ duration: Duration) -> String {
    String(format: "%.2f", duration / .seconds(1))
  }
}
