internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf

/// The curves, spans and events of a session, collected for the plots of a report. The memory depends
/// on the number of points and of events, not on the number of frames.
final class ReportLog: JobLog {
  /// The highest number of events in the list.
  private static let mostEvents = 500
  /// The highest number of spans in a lane.
  private static let mostSpans = 20_000

  private let rate: SampleRate
  private(set) var levels: LevelCurves
  private(set) var statistics: [Measurement] = []
  private(set) var events: [Report.Event] = []
  private(set) var omittedEvents = 0
  /// The times of events other than voice activity, in seconds.
  private(set) var marks: [Double] = []
  private(set) var voice = Spans()
  private(set) var warnings = Spans()
  private(set) var muted = Spans()
  private(set) var playing = Spans()
  private(set) var removed = Spans()
  private(set) var bothTalk = Spans()
  /// The time at which the echo was removed first, in seconds.
  private(set) var convergence: Double?
  private var activeWarnings: Set<Int> = []

  /// Statistics, and whether the reference or its echo sounded at their time.
  struct Measurement {
    let stats: Anechoic_V1_SessionStats
    let isPlaying: Bool

    /// The time in seconds.
    var time: Double { Double(stats.flow.framesProcessed) / 100 }
  }

  /// Spans of time in seconds. The last may be open.
  struct Spans {
    private(set) var closed: [Range<Double>] = []
    private var began: Double?

    /// Begins or ends a span. Does nothing if this changes nothing.
    mutating func set(_ isOn: Bool, at time: Double) {
      if isOn {
        began = began ?? time
      } else if let start = began.take(), start < time, closed.count < ReportLog.mostSpans {
        closed.append(start..<time)
      }
    }

    /// The spans up to a time.
    func spans(until end: Double) -> [Range<Double>] {
      var copy = self
      copy.set(false, at: end)
      return copy.closed
    }
  }

  init(_ recording: ReportedRecording) {
    rate = recording.format.rate
    levels = LevelCurves(recording)
  }

  func record(_ event: Anechoic_V1_SessionEvent) {
    let time = seconds(event.microphoneSample)
    var text = event.phrase
    switch event.event {
    case .voiceActivityChanged(let change):
      let began = seconds(change.beganAtSample)
      if change.side == .nearEnd { voice.set(change.active, at: began) }
      text =
        "\(Words.of(change.side)) \(change.active ? "talks" : "is quiet") since "
        + "\(began.fixed(2)) s"
    case .captureWarning(let warning):
      if warning.active {
        activeWarnings.insert(warning.problem.rawValue)
      } else {
        activeWarnings.remove(warning.problem.rawValue)
      }
      warnings.set(!activeWarnings.isEmpty, at: time)
      mark(time)
    case .echoPathChanged(let change):
      if change.converged, convergence == nil { convergence = time }
      let delay = "\((change.delay.timeInterval * 1000).fixed(1)) ms behind the reference"
      text = change.converged ? "the echo, \(delay), is removed" : "echo found \(delay)"
      mark(time)
    case .sessionEnded: return
    default: mark(time)
    }
    list(Report.Event(time: time, text: text))
  }

  func record(_ result: Anechoic_V1_ControlResult) {
    guard result.hasRefusal else { return }
    list(
      Report.Event(
        time: seconds(result.appliedAtSample), text: "control refused: \(result.refusal.message)"))
  }

  func record(_ stats: Anechoic_V1_SessionStats) {
    let measurement = Measurement(stats: stats, isPlaying: levels.isPlaying)
    statistics.append(measurement)
    removed.set(stats.echo.converged && measurement.isPlaying, at: measurement.time)
  }

  func record(_ frame: JobFrame) {
    let time = seconds(frame.firstSample)
    muted.set(frame.findings.muted, at: time)
    levels.append(frame)
    playing.set(levels.isPlaying, at: time)
    bothTalk.set(levels.isPlaying && frame.findings.voice, at: time)
  }

  func finish() {}

  private func mark(_ time: Double) {
    if marks.count < Self.mostEvents { marks.append(time) }
  }

  private func list(_ event: Report.Event) {
    if events.count < Self.mostEvents { events.append(event) } else { omittedEvents += 1 }
  }

  private func seconds(_ sample: Int64) -> Double { Double(sample) / Double(rate.hertz) }
}
