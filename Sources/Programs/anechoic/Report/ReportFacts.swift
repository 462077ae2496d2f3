internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf

/// The numbers of a report, for each of its runs.
struct ReportFacts {
  private static let unknown = "–"

  let recording: ReportedRecording
  let reference: SoundSource?
  /// The greatest magnitudes of the microphone and of each output.
  let microphonePeak: Float
  let runs: [ReportedRun]
  let outputPeaks: [Float]

  /// The headings of the runs. Empty if there is only one.
  var columns: [String] { runs.count == 1 ? [] : runs.map(\.name) }

  /// The most important figures.
  var highlights: [Report.Fact] {
    merged(runs.map(highlights))
  }

  /// All figures.
  var all: [Report.Fact] {
    merged(runs.indices.map { facts(of: runs[$0], outputPeak: outputPeaks[$0]) })
  }

  /// Joins the facts of the runs by their names.
  private func merged(_ facts: [[Report.Fact]]) -> [Report.Fact] {
    var names: [String] = []
    for fact in facts.joined() where !names.contains(fact.name) { names.append(fact.name) }
    return names.map { name in
      let values = facts.map { facts in
        facts.first { $0.name == name }?.text ?? Self.unknown
      }
      return Report.Fact(name, values)
    }
  }

  private func highlights(of run: ReportedRun) -> [Report.Fact] {
    let levels = run.log.levels
    var facts: [Report.Fact] = []
    if reference != nil {
      var (all, withoutVoice) = (Float?.none, Float?.none)
      if case .measured(let reduction, let other) = run.summary.echoReduction {
        (all, withoutVoice) = (reduction, other)
      }
      facts = [
        Report.Fact("Echo reduction, no voice", reduction(withoutVoice)),
        Report.Fact("Echo reduction, all", reduction(all)),
        Report.Fact("Echo delay", delay(run) ?? "not found"),
        Report.Fact(
          "Echo removed after", run.log.convergence.map { "\($0.fixed(2)) s" } ?? Self.unknown),
      ]
    }
    facts += [
      Report.Fact(
        "Noise reduction",
        levels.noise.levels.map { "\(($0.microphone - $0.output).fixed(1)) dB" }
          ?? "not measured"),
      Report.Fact("Speech found", seconds(run.summary.speechDuration)),
    ]
    if reference == nil {
      facts += [
        Report.Fact("Microphone", level(levels.microphone)),
        Report.Fact("Output", level(levels.processed)),
      ]
    }
    return facts
  }

  private func facts(of run: ReportedRun, outputPeak: Float) -> [Report.Fact] {
    let (log, summary) = (run.log, run.summary)
    var facts = [
      Report.Fact("Recording", recording.name),
      Report.Fact("Length", "\(recording.duration.fixed(2)) s"),
    ]
    if let reference { facts.append(Report.Fact("Reference", reference.caption)) }
    facts += settings(of: summary)
    facts += [
      Report.Fact("Delay of the output", milliseconds(summary.algorithmicDelay)),
      Report.Fact("Echo reduction", summary.echo),
    ]
    if let delay = delay(run) { facts.append(Report.Fact("Echo delay", delay)) }
    let last = log.statistics.last?.stats
    if let last, last.timing.hasDriftPpm {
      facts.append(Report.Fact("Drift of the clocks", "\(last.timing.driftPpm.fixed(1)) ppm"))
    }
    facts += [
      Report.Fact(
        "Speech found",
        "\(seconds(summary.speechDuration)) in \(JobSummary.count(summary.found.speechCount, "part"))"
      ),
      Report.Fact(
        "Noise, where nobody talks and nothing plays", words(for: log.levels.noise)),
    ]
    if reference != nil {
      facts.append(Report.Fact("While both talk", words(for: log.levels.doubleTalk)))
    }
    facts += [
      Report.Fact(
        "Level of the microphone", "\(level(log.levels.microphone)) RMS, \(peak(microphonePeak))"),
      Report.Fact(
        "Level of the output", "\(level(log.levels.processed)) RMS, \(peak(outputPeak))"),
    ]
    if let last {
      facts.append(
        Report.Fact("Noise floor at the end", "\(Double(last.levels.noiseFloorDbfs).fixed(1)) dBFS")
      )
    }
    if summary.found.mutedFrames > 0 {
      facts.append(Report.Fact("Muted", seconds(.milliseconds(10 * summary.found.mutedFrames))))
    }
    return facts + [Report.Fact("Time to process", summary.speed)]
  }

  /// The engine and the settings of the session.
  private func settings(of summary: JobSummary) -> [Report.Fact] {
    let processing = summary.settings.voiceProcessing
    return [
      Report.Fact("Engine", summary.engine),
      Report.Fact("Mic mode", Words.of(summary.settings.preferredMicMode)),
    ]
      + processing.stages(hasReference: reference != nil).map { stage in
        Report.Fact(stage.name.prefix(1).uppercased() + stage.name.dropFirst(), stage.setting)
      }
  }

  /// Returns the levels before and after, and for how long they were measured.
  private func words(for kind: LevelCurves.Kind) -> String {
    guard let levels = kind.levels else { return "not measured: less than 0.5 s" }
    return "microphone \(levels.microphone.fixed(1)) dBFS, output \(levels.output.fixed(1)) dBFS, "
      + "in \(kind.seconds.fixed(2)) s"
  }

  private func reduction(_ decibels: Float?) -> String {
    decibels.map { "\(Double($0).fixed(1)) dB" } ?? "not measured"
  }

  private func delay(_ run: ReportedRun) -> String? {
    let found = run.log.statistics.last { $0.stats.echo.hasDelay }
    return found.map { "\(($0.stats.echo.delay.timeInterval * 1000).fixed(1)) ms" }
  }

  private func peak(_ magnitude: Float) -> String {
    "peak \(Double(Decibels.level(meanSquare: magnitude * magnitude)).fixed(1)) dBFS"
  }

  /// Returns the mean level of a curve of levels.
  private func level(_ points: [(time: Double, value: Double?)]) -> String {
    let values = points.compactMap(\.value).map { Decibels.factor(Float($0)) }
    guard !values.isEmpty else { return "unknown" }
    let meanSquare = values.reduce(0) { $0 + $1 * $1 } / Float(values.count)
    return "\(Double(Decibels.level(meanSquare: meanSquare)).fixed(1)) dBFS"
  }

  private func seconds(_ duration: Duration) -> String {
    "\((duration / .seconds(1)).fixed(2)) s"
  }

  private func milliseconds(_ duration: Duration) -> String {
    "\((duration / .milliseconds(1)).fixed(1)) ms"
  }
}
