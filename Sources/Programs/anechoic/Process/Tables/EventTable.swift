internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import SwiftProtobuf

/// The table of `--events`: a row for each event and each result of a control.
enum EventTable {
  static let columns = [
    TableColumn("time_s", .real), TableColumn("sample", .integer),
    TableColumn("event_id", .integer), TableColumn("event", .word(longest: 32)),
    TableColumn("side", .word(longest: 8)), TableColumn("active", .level),
    TableColumn("began_s", .real), TableColumn("delay_ms", .real), TableColumn("gain_db", .level),
    TableColumn("details", .text), TableColumn("probability", .level),
  ]

  static func row(_ event: Anechoic_V1_SessionEvent, _ rate: SampleRate) throws -> [TableValue] {
    let (name, details) = try contents(of: event)
    return row(
      sample: event.microphoneSample, id: event.eventID, name, Facts(event.event, rate),
      details: details, rate)
  }

  /// Returns the row of the result of a control, whose `active` is 1 if the control was applied.
  static func row(_ result: Anechoic_V1_ControlResult, _ rate: SampleRate) throws -> [TableValue] {
    var facts = Facts()
    facts.isActive = !result.hasRefusal
    return row(
      sample: result.appliedAtSample, id: 0, "control_result", facts,
      details: try result.jsonLine(), rate)
  }

  /// The values of events that have a column of their own.
  private struct Facts {
    var side: Anechoic_V1_Side?
    var isActive: Bool?
    var began: Double?
    var delay: Double?
    var gain: Float?
    var probability: Float?

    init() {}

    init(_ event: Anechoic_V1_SessionEvent.OneOf_Event?, _ rate: SampleRate) {
      switch event {
      case .voiceActivityChanged(let change):
        side = change.side
        isActive = change.active
        began = rate.seconds(change.beganAtSample)
      case .mutedSpeechActivity(let change): isActive = change.activity == .started
      case .muteChanged(let change): isActive = change.state.muted
      case .captureWarning(let warning): isActive = warning.active
      case .interruption(let interruption): isActive = interruption.began
      case .injectionAvailabilityChanged(let change): isActive = change.available
      case .echoPathChanged(let change):
        isActive = change.converged
        delay = change.delay.timeInterval * 1000
      case .duckingChanged(let change):
        side = change.talking
        gain = change.gainDb
      default:
        guard let turn = TurnFacts(event) else { return }
        began = rate.seconds(turn.sample)
        probability = turn.probability
      }
    }
  }

  /// The place and the probability of an event of turns.
  private struct TurnFacts {
    let sample: Int64
    var probability: Float?

    init?(_ event: Anechoic_V1_SessionEvent.OneOf_Event?) {
      switch event {
      case .turnStarted(let turn): (sample, probability) = (turn.beganAtSample, turn.probability)
      case .turnMayEnd(let turn): (sample, probability) = (turn.silentFromSample, turn.probability)
      case .turnContinued(let turn): sample = turn.beganAtSample
      case .turnEnded(let turn): (sample, probability) = (turn.silentFromSample, turn.probability)
      case .turnInterruption(let turn):
        (sample, probability) = (turn.beganAtSample, turn.probability)
      case .backchannel(let sound): (sample, probability) = (sound.beganAtSample, sound.probability)
      case .notSpeech(let sound): (sample, probability) = (sound.beganAtSample, sound.probability)
      default: return nil
      }
    }
  }

  private static func row(
    sample: Int64, id: UInt64, _ name: String, _ facts: Facts, details: String, _ rate: SampleRate
  ) -> [TableValue] {
    let side: TableValue =
      switch facts.side {
      case .nearEnd: .text("near")
      case .farEnd: .text("far")
      default: .missing
      }
    return [
      .real(rate.seconds(sample)), .integer(sample),
      .integer(Int64(clamping: id)), .text(name), side,
      TableValue(facts.isActive.map { $0 ? 1.0 : 0.0 }), TableValue(facts.began),
      TableValue(facts.delay), TableValue(facts.gain), .text(details),
      TableValue(facts.probability),
    ]
  }

  /// The members of every event in JSON.
  private static let common: Set = ["eventId", "time", "microphoneSample"]

  /// Returns the name of an event as in the protocol, and its contents as JSON.
  private static func contents(
    of event: Anechoic_V1_SessionEvent
  ) throws -> (name: String, details: String) {
    let tree = try JSONSerialization.jsonObject(with: Data(event.jsonLine().utf8))
    guard let members = tree as? [String: Any],
      let (name, value) = members.first(where: { !common.contains($0.key) })
    else { return ("unknown", "") }
    let details = try JSONSerialization.data(
      withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
    return (name.snakeCase, String(decoding: details, as: UTF8.self))
  }
}

extension SampleRate {
  fileprivate func seconds(_ sample: Int64) -> Double { Double(sample) / Double(hertz) }
}
