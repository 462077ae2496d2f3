internal import AudioCore
internal import Foundation

/// The call of this machine, as the voice thread knows it.
struct EdgeCalls {
  var rule: CallRule
  var holders = CallHolders()
  /// The programs on the desktop that record.
  var recorders: [String] = []
  /// Whether frames flow: during a call, during a test, and while other audio sounds.
  var flows = false
  /// The time in ns at which they began to flow.
  var flowsSince: Int64 = 0
  /// Whether other audio waits, because its media is paused for a call.
  var holdsOtherAudio = false

  init(_ configuration: EdgeConfiguration) {
    rule = CallRule(
      begin: configuration.calls.begin, seesPrograms: configuration.seesPrograms)
  }
}

/// The part of a call that other threads see.
struct CallState: Sendable, Equatable {
  /// The signs that keep the call. Empty between calls.
  var signs: CallSigns = []
  var began: Date?
  /// The programs that asked for the call.
  var holders: [String] = []
  /// The programs on the desktop that record.
  var recorders: [String] = []

  var isOn: Bool { !signs.isEmpty }

  /// Whether a program takes part in a call, as far as the agent can see.
  var isSeen: Bool { !signs.isDisjoint(with: .programs) }

  /// The signs in words.
  var text: String {
    var parts: [String] = []
    if signs.contains(.configuration) { parts.append("the configuration says always") }
    if signs.contains(.unseen) { parts.append("nobody can see whether a program uses the voice") }
    if signs.contains(.request) { parts.append("\(Self.list(holders)) asked for it") }
    if signs.contains(.voiceRead) { parts.append("a program reads the voice") }
    if signs.contains(.recording) { parts.append("\(Self.list(recorders)) records") }
    if signs.contains(.farEnd) { parts.append("the far end sounds") }
    return parts.joined(separator: ", and ")
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "a program" : names.joined(separator: " and ")
  }
}

/// The calls of this machine. All functions run on the voice thread.
extension EdgeVoice {
  /// The longest time in ns for which the far end waits for the loudspeaker to open.
  private static let longestOpening: Int64 = 1_000_000_000

  /// Decides whether there is a call, and whether frames flow. Runs per frame: no allocation, lock,
  /// log or await, except after a change.
  func updateCall() {
    if calls.holdsOtherAudio { parts.programs.otherAudio?.hold() }
    if !calls.flows { listen() }
    let now = ContinuousClock.now
    var seen: CallSigns = []
    if parts.programs.voice?.isRead ?? false { seen.insert(.voiceRead) }
    if sounds.farEndIsHeard(now: now) { seen.insert(.farEnd) }
    if !calls.recorders.isEmpty { seen.insert(.recording) }
    if !calls.holders.isEmpty { seen.insert(.request) }
    let wasOn = calls.rule.isOn
    if calls.rule.update(seen, now: MonotonicClock.nanoseconds) { callChanged(wasOn: wasOn) }
    let flows = calls.rule.isOn || chirp.count > 0 || sounds.otherAudioIsHeard(now: now)
    if flows != calls.flows { setFlow(flows) }
  }

  /// Listens to the programs while nobody takes their audio.
  private func listen() {
    let keeps = calls.rule.hearsFarEnd
    var farEndSounds = parts.programs.farEnd?.listen(keepsSound: keeps) ?? false
    for input in parts.programs.namedFarEnds where input.listen(keepsSound: keeps) {
      farEndSounds = true
    }
    sounds.record(
      farEnd: farEndSounds,
      otherAudio: !calls.holdsOtherAudio
        && parts.programs.otherAudio?.listen(keepsSound: true) ?? false, now: .now)
    let before = status.sounds
    updateSounds()
    if status.sounds != before { publish() }
  }

  private func callChanged(wasOn: Bool) {
    let isOn = calls.rule.isOn
    status.call = CallState(
      signs: calls.rule.signs, began: isOn ? status.call.began ?? .now : nil,
      holders: calls.holders.names, recorders: calls.recorders)
    if isOn != wasOn {
      log(isOn ? "call: begins, because \(status.call.text)" : "call: is over")
      if !isOn {
        leaveSession()
        voiceLeftSession()
      }
      lowerOthersAtRest(nil)
    }
    publish()
  }

  private func setFlow(_ flows: Bool) {
    calls.flows = flows
    calls.flowsSince = MonotonicClock.nanoseconds
    parts.rings.openLoudspeaker(flows)
    if flows { restartCapture() } else { stopLocal() }
    publish()
  }

  /// Whether the far end and other audio wait, because the loudspeaker is about to open.
  var waitsForLoudspeaker: Bool {
    MonotonicClock.nanoseconds - calls.flowsSince < Self.longestOpening
      && parts.rings.loudspeakerHealth().isClosed
  }

  /// Whether a request of a program for a call was accepted.
  enum CallAnswer: Sendable { case done, tooMany, unknown }

  func beginCall(_ holder: String) -> CallAnswer {
    changeHolders { $0.begin(holder) ? .done : .tooMany }
  }

  func endCall(_ holder: String) -> CallAnswer {
    changeHolders { $0.end(holder) ? .done : .unknown }
  }

  func holdCall(_ holder: String) -> CallAnswer {
    changeHolders { $0.hold(holder) ? .done : .tooMany }
  }

  func releaseCall(_ holder: String) {
    _ = changeHolders {
      $0.release(holder)
      return .done
    }
  }

  private func changeHolders(_ change: (inout CallHolders) -> CallAnswer) -> CallAnswer {
    let answer = change(&calls.holders)
    namesChanged()
    return answer
  }

  /// Takes note of the programs on the desktop that record.
  func recordersChanged(_ recorders: [String]) {
    calls.recorders = recorders
    namesChanged()
  }

  private func namesChanged() {
    updateCall()
    (status.call.holders, status.call.recorders) = (calls.holders.names, calls.recorders)
    publish()
  }
}
