internal import AnechoicAPI
internal import AudioCore
internal import Foundation

/// Makes a report of what sessions did to a recording: one, or two with different settings.
struct ReportMaker {
  /// The range of the colours in dB.
  private static let colorRange: Float = 70
  /// The share of the spectrograms that may have the colour of the highest level.
  private static let brightest = 0.004

  let recording: ReportedRecording
  /// The microphone, and the reference if there is one.
  let inputs: [SoundSource]
  /// At least one.
  let runs: [ReportedRun]
  /// The players of all sounds, or empty without players.
  let media: [Report.Media]

  /// Reads the sounds and makes the report.
  func report(until stop: StopWatch) throws -> Report {
    let sources = inputs + runs.map(\.output)
    let levels = try sources.map { try $0.levels(for: recording, until: stop) }
    let range = Self.colors(of: levels.map(\.grid))
    let axis = Axis(0...Double(recording.format.rate.hertz) / 2000, ticks: 5)
    var sounds: [Report.Sound] = []
    for (index, source) in sources.enumerated() {
      let plot = Plot(
        title: source.title, caption: "\(source.caption), kHz",
        content: .image(levels[index].grid.image(levels: range), axis))
      sounds.append(
        Report.Sound(plot: plot, media: media.indices.contains(index) ? media[index] : nil))
    }
    let facts = ReportFacts(
      recording: recording, reference: hasReference ? inputs[1] : nil,
      microphonePeak: levels[0].peak, runs: runs,
      outputPeaks: levels.suffix(runs.count).map(\.peak))
    return Report(
      title: recording.name, subtitle: subtitle, warnings: warnings,
      duration: recording.duration, sounds: sounds,
      plots: ReportPlots(recording: recording, runs: runs, hasReference: hasReference).all,
      highlights: facts.highlights, facts: facts.all, columns: facts.columns,
      events: runs[0].log.events, omittedEvents: runs[0].log.omittedEvents,
      levels: Double(range.lowerBound)...Double(range.upperBound), version: anechoicVersion)
  }

  /// The levels of the colours of all spectrograms, so that equal colours are equal levels.
  private static func colors(of grids: [LevelGrid]) -> ClosedRange<Float> {
    let loud = grids.map { $0.level(exceededBy: brightest) }.max() ?? 0
    let top = min(0, max(-60, (loud / 10).rounded(.up) * 10))
    return top - colorRange...top
  }

  private var hasReference: Bool { inputs.count > 1 }

  private var warnings: [String] {
    runs.flatMap { run in
      run.summary.warnings.map { run.name.isEmpty ? $0 : "\(run.name): \($0)" }
    }
  }

  private var subtitle: String {
    [
      "\(recording.duration.fixed(2)) s",
      "\((Double(recording.format.rate.hertz) / 1000).fixed(1)) kHz",
      recording.format.channelCount == 1 ? "mono" : "stereo",
      runs.count == 1 ? "engine \(runs[0].summary.engine)" : "",
      runs.count == 1
        ? "mic mode \(Words.of(runs[0].summary.settings.preferredMicMode))"
        : runs.map(\.name).joined(separator: ", "),
    ].filter { !$0.isEmpty }.joined(separator: " · ")
  }
}
