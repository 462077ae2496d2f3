internal import AnechoicAPI
internal import AudioCore
internal import Foundation

/// The summary of a job for people.
struct JobSummary {
  /// The names and lengths of the files in the summary.
  struct Files {
    var microphone: String
    var reference: String?
    /// The files with the processed voice and the playback.
    var outputs: [String]
    /// The length of the microphone's file. Nil if the files are repeated.
    var length: Duration?
    /// The lengths of a reference that ends too early and of its microphone, otherwise nil.
    var shortReference: (length: Duration, microphone: Duration)?
    /// Whether the session has an echo reference: a file, or its own playback.
    var hasEchoReference: Bool

    /// The warning about a reference that ends too early, otherwise nil.
    var shortReferenceWarning: String? {
      guard let short = shortReference, let reference else { return nil }
      let end = seconds(short.length)
      return "\(reference) ends after \(end) s, and \(microphone) after "
        + "\(seconds(short.microphone)) s; echo after \(end) s is not cancelled"
    }
  }

  let duration: Duration
  let took: Duration
  /// The engine of the session, with its version.
  let engine: String
  /// The settings of the session, with every default filled in.
  let settings: Anechoic_V1_SessionConfig
  /// The delay from the microphone to the processed audio.
  let algorithmicDelay: Duration
  let wasStopped: Bool
  private let files: Files
  let found: JobFindings
  /// The echo reduction. Nil if nothing was played.
  let echoReduction: EchoReduction?
  private let echoTakenForVoice: EchoTakenForVoice?
  private let referenceLag: ReferenceLag?
  let speechDuration: Duration

  init(
    _ sent: SentLevels, _ found: JobFindings, _ files: Files, sampleCount: Int, rate: SampleRate,
    engine: String, settings: Anechoic_V1_SessionConfig, algorithmicDelay: Duration, took: Duration,
    wasStopped: Bool
  ) {
    self.engine = engine
    self.settings = settings
    self.algorithmicDelay = algorithmicDelay
    duration = rate.duration(ofSamples: sampleCount)
    self.took = took
    self.wasStopped = wasStopped
    self.files = files
    self.found = found
    let call = sent.played.map { played in
      ProcessedCall(
        microphone: sent.microphone, played: played, output: found.levels, voice: found.voice,
        muted: found.muted, delay: algorithmicDelay)
    }
    echoReduction = call.map { EchoReduction($0) }
    echoTakenForVoice = call.flatMap { EchoTakenForVoice($0) }
    referenceLag = sent.referenceLag
    speechDuration = rate.duration(ofSamples: Int(found.speechSamples))
  }

  /// The warnings that only the whole job shows.
  var warnings: [String] { [swapWarning, echoWarning].compactMap { $0 } }

  /// The warning about microphone and reference files that may be exchanged, otherwise nil.
  private var swapWarning: String? {
    guard let referenceLag, referenceLag.looksSwapped, let reference = files.reference else {
      return nil
    }
    return "\(reference) follows \(files.microphone) by \(-referenceLag.milliseconds) ms, and a "
      + "reference must come first; swap --microphone and --reference if they were exchanged"
  }

  /// The warning about an echo that the session may have taken for a voice, otherwise nil.
  private var echoWarning: String? {
    guard files.hasEchoReference, let echoTakenForVoice else { return nil }
    func seconds(_ duration: Duration) -> String { String(format: "%.1f", duration / .seconds(1)) }
    return "the echo may have been taken for a voice: voice was found in "
      + "\(seconds(echoTakenForVoice.voice)) s of \(seconds(echoTakenForVoice.played)) s in which "
      + "the far end plays, and its level follows the far end"
  }

  /// The message about a job that was stopped before the end of its files, otherwise nil.
  var interruption: String? {
    guard wasStopped, let length = files.length, duration < length else { return nil }
    let outputs = files.outputs.joined(separator: " and ")
    return "stopped after \(seconds(duration)) s of \(seconds(length)) s; \(outputs) "
      + (files.outputs.count == 1 ? "is incomplete" : "are incomplete")
  }

  /// The time that the job took, in words.
  var speed: String {
    "\(seconds(took)) s (\(String(format: "%.3f", took / duration)) of real time)"
  }

  var text: String {
    let rows =
      [
        (
          "duration",
          "\(seconds(duration)) s, processed in \(speed)"
        ),
        ("echo reduction", echo),
        (
          "speech found",
          "\(seconds(speechDuration)) s in \(Self.count(found.speechCount, "part"))"
        ),
      ] + occasional
    return rows.map { $0.0.padding(toLength: 16, withPad: " ", startingAt: 0) + $0.1 + "\n" }
      .joined()
  }

  /// The words with which the job fails although its outputs are complete, otherwise nil.
  var problem: String? {
    found.problems.isEmpty ? nil : found.problems.joined(separator: "; ")
  }

  /// The echo reduction in words.
  var echo: String {
    guard files.hasEchoReference else {
      return "not possible: the session has no reference (--reference or --playback)"
    }
    return switch echoReduction {
    case .measured(let all, let withoutVoice?):
      String(
        format: "%.1f dB where no voice was found, %.1f dB wherever the far end plays",
        withoutVoice, all)
    case .measured(let all, nil):
      String(format: "%.1f dB wherever the far end plays; voice was found all the time", all)
    case .muted: "not measured: the session was muted whenever the far end played"
    case .notPlayed, nil: "not measured: the far end plays for less than 2 s"
    }
  }

  /// The rows that appear only for some jobs.
  private var occasional: [(String, String)] {
    var rows: [(String, String)] = []
    if let short = files.shortReference {
      rows.append(
        (
          "reference",
          "ends after \(seconds(short.length)) s of \(seconds(short.microphone)) s"
        ))
    }
    if let referenceLag, referenceLag.looksSwapped {
      rows.append(
        (
          "reference",
          "follows the microphone by \(-referenceLag.milliseconds) ms: the files may be swapped"
        ))
    }
    if found.mutedFrames > 0 {
      rows.append(("muted", "\(seconds(.milliseconds(10 * found.mutedFrames))) s"))
    }
    if found.mutedSpeechCount > 0 {
      rows.append(("muted speech", Self.count(found.mutedSpeechCount, "time")))
    }
    if let lowest = found.lowestDuckingGain {
      rows.append(
        (
          "other audio",
          "lowered to \(String(format: "%.1f", lowest)) dB, "
            + Self.count(found.duckingCount, "change")
        ))
    }
    return rows
  }

  static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

private func seconds(_ duration: Duration) -> String {
  String(format: "%.2f", duration / .seconds(1))
}
