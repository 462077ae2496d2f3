internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf

/// Makes a report of what a session did to a recording.
struct ReportMaker {
  /// The range of the colours in dB.
  private static let colorRange: Float = 70
  /// The share of the spectrograms that may have the colour of the highest level.
  private static let brightest = 0.004
  /// The levels that a plot shows at least, in dBFS.
  private static let plottedLevels = -90.0...0.0

  let recording: ReportedRecording
  let sources: [SoundSource]
  /// The players of the sounds. Empty without players.
  let media: [Report.Media]
  let log: ReportLog
  let summary: JobSummary

  /// Reads the sounds and makes the report.
  func report(until stop: StopWatch) throws -> Report {
    let grids = try sources.map { try $0.levels(for: recording, until: stop) }
    let range = Self.colors(of: grids)
    let axis = Axis(0...Double(recording.format.rate.hertz) / 2000, ticks: 5)
    var sounds: [Report.Sound] = []
    for (index, source) in sources.enumerated() {
      let plot = Plot(
        title: source.title, caption: "\(source.caption), kHz",
        content: .image(grids[index].image(levels: range), axis))
      sounds.append(
        Report.Sound(plot: plot, media: media.indices.contains(index) ? media[index] : nil))
    }
    return Report(
      title: recording.name, subtitle: subtitle, warnings: summary.warnings,
      duration: recording.duration, sounds: sounds, plots: plots, highlights: highlights,
      facts: facts, events: log.events,
      omittedEvents: log.omittedEvents,
      levels: Double(range.lowerBound)...Double(range.upperBound), version: anechoicVersion)
  }

  /// The levels of the colours of all spectrograms, so that equal colours are equal levels.
  private static func colors(of grids: [LevelGrid]) -> ClosedRange<Float> {
    let loud = grids.map { $0.level(exceededBy: brightest) }.max() ?? 0
    let top = min(0, max(-60, (loud / 10).rounded(.up) * 10))
    return top - colorRange...top
  }

  private var hasReference: Bool { sources.count > 2 }

  private var subtitle: String {
    [
      "\(recording.duration.fixed(2)) s",
      "\((Double(recording.format.rate.hertz) / 1000).fixed(1)) kHz",
      recording.format.channelCount == 1 ? "mono" : "stereo",
      "engine \(summary.engine)",
      "mic mode \(micMode)",
    ].joined(separator: " · ")
  }

  private var micMode: String {
    Words.of(log.statistics.last?.activeMicMode ?? .unspecified)
  }
}

// MARK: Plots

extension ReportMaker {
  private var plots: [Plot] {
    var plots: [Plot] = []
    if hasReference { plots += [reductionPlot, delayPlot] }
    return plots + [levelPlot, lanePlot]
  }

  private var reductionPlot: Plot {
    let levels = log.levels
    let canceller = log.statistics.map { stats in
      (
        time: ReportLog.time(of: stats),
        value: stats.echo.hasEchoReturnLossEnhancementDb
          ? Double(stats.echo.echoReturnLossEnhancementDb) : nil
      )
    }
    var curves = [
      Plot.Curve(
        name: "all stages, wherever the reference plays", tint: .microphone,
        points: levels.reduction),
      Plot.Curve(
        name: "where no voice was found", tint: .output, points: levels.reductionWithoutVoice),
    ]
    if canceller.contains(where: { $0.value != nil }) {
      curves.insert(
        Plot.Curve(name: "canceller, by its own account", tint: .reference, points: canceller),
        at: 0)
    }
    let values = curves.flatMap { $0.points.compactMap(\.value) }
    let top = max(20, ((values.max() ?? 0) / 10).rounded(.up) * 10)
    return Plot(
      title: "Echo reduction", caption: "dB",
      content: .curves(curves, Axis(min(0, bottom(of: values, step: 10))...top, ticks: 5)))
  }

  private var delayPlot: Plot {
    let points = log.statistics.map { stats in
      (
        time: ReportLog.time(of: stats),
        value: stats.echo.hasDelay ? stats.echo.delay.timeInterval * 1000 : nil
      )
    }
    let values = points.compactMap(\.value)
    let top = max(20, (((values.max() ?? 0) + 5) / 20).rounded(.up) * 20)
    return Plot(
      title: "Echo delay", caption: "ms behind the reference",
      content: .curves(
        [Plot.Curve(name: "delay", tint: .microphone, points: points)],
        Axis(bottom(of: values, step: 20)...top, ticks: 5)))
  }

  private var levelPlot: Plot {
    /// Returns a curve without silence, which would be a line at the bottom.
    func curve(
      _ name: String, _ tint: Plot.Tint, _ points: [(time: Double, value: Double?)]
    ) -> Plot.Curve {
      let shown = points.map { point in
        (
          time: point.time,
          value: point.value.flatMap { $0 < Self.plottedLevels.lowerBound ? nil : $0 }
        )
      }
      return Plot.Curve(name: name, tint: tint, points: shown)
    }
    var curves = [curve("microphone", .microphone, log.levels.microphone)]
    if hasReference { curves.append(curve("reference", .reference, log.levels.played)) }
    curves.append(curve("output", .output, log.levels.processed))
    return Plot(
      title: "Level", caption: "dBFS",
      content: .curves(curves, Axis(Self.plottedLevels, ticks: 5)))
  }

  private var lanePlot: Plot {
    let end = recording.duration
    var lanes = [Plot.Lane(name: "voice", tint: .output, spans: log.voice.spans(until: end))]
    if hasReference {
      lanes += [
        Plot.Lane(name: "reference", tint: .reference, spans: log.playing.spans(until: end)),
        Plot.Lane(name: "removed", tint: .microphone, spans: log.removed.spans(until: end)),
      ]
    }
    for (name, spans) in [("muted", log.muted), ("warning", log.warnings)] {
      let spans = spans.spans(until: end)
      if !spans.isEmpty { lanes.append(Plot.Lane(name: name, tint: .warning, spans: spans)) }
    }
    return Plot(
      title: "Activity",
      caption: "voice of the near end, sound of the reference, echo removed; dashed lines: events",
      content: .lanes(lanes, marks: log.marks))
  }

  /// Returns a multiple of a step below all values, or 0 if they are positive.
  private func bottom(of values: [Double], step: Double) -> Double {
    min(0, ((values.min() ?? 0) / step).rounded(.down) * step)
  }
}

// MARK: Numbers

extension ReportMaker {
  private var highlights: [Report.Fact] {
    var facts: [Report.Fact] = []
    if hasReference {
      var (all, withoutVoice) = (Float?.none, Float?.none)
      if case .measured(let reduction, let other) = summary.echoReduction {
        (all, withoutVoice) = (reduction, other)
      }
      facts = [
        Report.Fact("Echo reduction, no voice", reduction(withoutVoice)),
        Report.Fact("Echo reduction, all", reduction(all)),
        Report.Fact("Echo delay", delay ?? "not found"),
        Report.Fact("Echo removed after", log.convergence.map { "\($0.fixed(2)) s" } ?? "–"),
      ]
    }
    facts.append(Report.Fact("Speech found", seconds(summary.speechDuration)))
    if !hasReference {
      facts += [
        Report.Fact("Microphone", level(log.levels.microphone)),
        Report.Fact("Output", level(log.levels.processed)),
      ]
    }
    return facts
  }

  private func reduction(_ decibels: Float?) -> String {
    decibels.map { "\(Double($0).fixed(1)) dB" } ?? "not measured"
  }

  private var delay: String? {
    guard let echo = log.statistics.last(where: { $0.echo.hasDelay })?.echo else { return nil }
    return "\((echo.delay.timeInterval * 1000).fixed(1)) ms"
  }

  private var facts: [Report.Fact] {
    let last = log.statistics.last
    var facts = [
      Report.Fact("Recording", recording.name),
      Report.Fact("Length", "\(recording.duration.fixed(2)) s"),
    ]
    if hasReference { facts.append(Report.Fact("Reference", sources[1].caption)) }
    facts += [
      Report.Fact("Engine", summary.engine), Report.Fact("Mic mode", micMode),
      Report.Fact("Delay of the output", milliseconds(summary.algorithmicDelay)),
      Report.Fact("Echo reduction", summary.echo),
    ]
    if let delay { facts.append(Report.Fact("Echo delay", delay)) }
    if let last, last.timing.hasDriftPpm {
      facts.append(Report.Fact("Drift of the clocks", "\(last.timing.driftPpm.fixed(1)) ppm"))
    }
    facts += [
      Report.Fact(
        "Speech found",
        "\(seconds(summary.speechDuration)) in \(JobSummary.count(summary.found.speechCount, "part"))"
      ),
      Report.Fact("Level of the microphone", level(log.levels.microphone)),
      Report.Fact("Level of the output", level(log.levels.processed)),
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
