internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

/// The plots of a report below its spectrograms.
struct ReportPlots {
  private typealias Points = [(time: Double, value: Double?)]

  /// The levels that a plot shows at least, in dBFS.
  private static let plottedLevels = -90.0...0.0
  /// The colours of the runs.
  private static let tints = [Plot.Tint.output, .second]

  let recording: ReportedRecording
  let runs: [ReportedRun]
  let hasReference: Bool

  var all: [Plot] {
    (hasReference ? [reduction, delay] : []) + [levels, activity]
  }

  /// Returns a name for a curve or a lane of a run.
  private func name(_ name: String, _ index: Int) -> String {
    runs.count == 1 ? name : "\(name) \(index + 1)"
  }

  private var reduction: Plot {
    var curves: [Plot.Curve] = []
    for (index, run) in runs.enumerated() {
      curves.append(
        Plot.Curve(
          name: name("where no voice was found", index), tint: Self.tints[index],
          points: run.log.levels.reductionWithoutVoice))
    }
    if runs.count == 1 {
      let log = runs[0].log
      curves.insert(
        Plot.Curve(
          name: "all stages, wherever the reference plays", tint: .microphone,
          points: log.levels.reduction), at: 0)
      let canceller = measured(log) {
        $0.echo.hasEchoReturnLossEnhancementDb
          ? Double($0.echo.echoReturnLossEnhancementDb) : nil
      }
      if canceller.contains(where: { $0.value != nil }) {
        curves.insert(
          Plot.Curve(
            name: "canceller, by its own account", tint: .reference, points: canceller), at: 0)
      }
    }
    let values = curves.flatMap { $0.points.compactMap(\.value) }
    let top = max(20, ((values.max() ?? 0) / 10).rounded(.up) * 10)
    return Plot(
      title: "Echo reduction", caption: "dB",
      content: .curves(curves, Axis(min(0, bottom(of: values, step: 10))...top, ticks: 5)))
  }

  private var delay: Plot {
    let curves = runs.enumerated().map { index, run in
      Plot.Curve(
        name: name("delay", index), tint: runs.count == 1 ? .microphone : Self.tints[index],
        points: measured(run.log) {
          $0.echo.hasDelay ? $0.echo.delay.timeInterval * 1000 : nil
        })
    }
    let values = curves.flatMap { $0.points.compactMap(\.value) }
    let top = max(20, (((values.max() ?? 0) + 5) / 20).rounded(.up) * 20)
    return Plot(
      title: "Echo delay", caption: "ms behind the reference",
      content: .curves(curves, Axis(bottom(of: values, step: 20)...top, ticks: 5)))
  }

  /// Returns values of the statistics while the reference plays. Nothing is measured in between.
  private func measured(
    _ log: ReportLog, _ value: (Anechoic_V1_SessionStats) -> Double?
  ) -> Points {
    log.statistics.map { ($0.time, $0.isPlaying ? value($0.stats) : nil) }
  }

  private var levels: Plot {
    /// Returns a curve without silence, which would be a line at the bottom.
    func curve(_ name: String, _ tint: Plot.Tint, _ points: Points) -> Plot.Curve {
      let shown = points.map { point in
        (
          time: point.time,
          value: point.value.flatMap { $0 < Self.plottedLevels.lowerBound ? nil : $0 }
        )
      }
      return Plot.Curve(name: name, tint: tint, points: shown)
    }
    let log = runs[0].log
    var curves = [curve("microphone", .microphone, log.levels.microphone)]
    if hasReference { curves.append(curve("reference", .reference, log.levels.played)) }
    for (index, run) in runs.enumerated() {
      curves.append(
        curve(name("output", index), Self.tints[index], run.log.levels.processed))
    }
    return Plot(
      title: "Level", caption: "RMS in dBFS",
      content: .curves(curves, Axis(Self.plottedLevels, ticks: 5)))
  }

  private var activity: Plot {
    let end = recording.duration
    func lane(_ name: String, _ tint: Plot.Tint, _ spans: ReportLog.Spans) -> Plot.Lane {
      Plot.Lane(name: name, tint: tint, spans: spans.spans(until: end))
    }
    var lanes: [Plot.Lane] = []
    for (index, run) in runs.enumerated() {
      lanes.append(lane(name("voice", index), Self.tints[index], run.log.voice))
    }
    if hasReference {
      lanes.append(lane("reference", .reference, runs[0].log.playing))
      for (index, run) in runs.enumerated() {
        lanes.append(lane(name("removed", index), .microphone, run.log.removed))
      }
      let both = lane("both talk", .reference, runs[0].log.bothTalk)
      if !both.spans.isEmpty { lanes.append(both) }
    }
    for (index, run) in runs.enumerated() {
      lanes += [
        lane(name("muted", index), .warning, run.log.muted),
        lane(name("warning", index), .warning, run.log.warnings),
      ].filter { !$0.spans.isEmpty }
    }
    return Plot(
      title: "Activity",
      caption: "voice of the near end, sound of the reference, echo removed; dashed lines: events",
      content: .lanes(lanes, marks: runs[0].log.marks))
  }

  /// Returns a multiple of a step below all values, or 0 if they are positive.
  private func bottom(of values: [Double], step: Double) -> Double {
    min(0, ((values.min() ?? 0) / step).rounded(.down) * step)
  }
}
