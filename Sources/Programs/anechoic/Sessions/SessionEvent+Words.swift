internal import AnechoicAPI
internal import SwiftProtobuf

extension Anechoic_V1_WatchSessionResponse {
  /// The response in one line, or a snapshot in several lines.
  var line: String {
    switch item {
    case .snapshot(let session): session.page
    case .event(let event): event.line
    case .stats(let stats): "measured      \(stats.phrase)"
    case .gap(let gap):
      "some earlier events are no longer available; the oldest is #\(gap.oldestEventID)"
    case nil: "an event that this version does not know"
    }
  }
}

extension Anechoic_V1_SessionEvent {
  fileprivate var line: String {
    "\(Words.time(time))  #\(eventID) at sample \(microphoneSample): \(phrase)"
  }

  /// The event in words.
  var phrase: String {
    switch event {
    case .mutedSpeechActivity(let change): "muted speech \(Words.of(change.activity))"
    case .voiceActivityChanged(let change):
      "\(Words.of(change.side)) \(change.active ? "talks" : "is silent")"
        + " from sample \(change.beganAtSample)"
    case .muteChanged(let change): change.state.phrase
    case .muteGestureRequested(let gesture):
      "gesture \(gesture.gestureID) asks to \(gesture.proposedMuted ? "mute" : "unmute")"
        + ", to be decided within \(Words.seconds(gesture.decideWithin))"
    case .muteGestureResolved(let gesture):
      "gesture \(gesture.gestureID) \(Words.of(gesture.outcome)): \(gesture.state.phrase)"
    case .micModeChanged(let change):
      "mic mode \(Words.of(change.active)) (preferred: \(Words.of(change.preferred)))"
        + (change.reason.isEmpty ? "" : ": \(change.reason)")
    case .duckingChanged(let change):
      "other audio at \(Words.decibels(change.gainDb)), "
        + (change.talking == .unspecified ? "nobody talks" : "\(Words.of(change.talking)) talks")
    case .injectionAvailabilityChanged(let change):
      "injection \(change.available ? "available" : "not available")"
    case .injectionPermissionRequested(let request):
      "\(request.client) asks to inject: \(request.usageDescription)"
    case .injectionPermissionChanged(let change):
      "injection by \(change.client) \(Words.of(change.permission))"
    case .injectionProgress(let progress):
      "injection \(progress.injectionID) \(Words.of(progress.state))"
    case .configChanged(let change): "configuration changed by \(change.actor)"
    case .discontinuity(let gap):
      "\(gap.missingSamples) samples of \(Words.of(gap.input))"
        + "\(gap.farEndID.isEmpty ? "" : " \(gap.farEndID)") are missing: \(Words.of(gap.reason))"
    case .captureWarning(let warning):
      "capture warning: \(Words.of(warning.problem)), \(warning.active ? "started" : "ended")"
    case .outputDropped(let dropped):
      "\(dropped.samples) samples of the output were dropped: the client did not read them in time"
    case .sessionSuspended(let suspension):
      "the client lost its connection; the session waits \(Words.seconds(suspension.resumeWindow))"
    case .sessionResumed(let resumption):
      "the client is back, \(resumption.concealedSamples) samples were concealed"
    case .playbackClientChanged(let change):
      "\(change.client) \(change.joined ? "plays" : "no longer plays") the playback"
    case .draining(let draining): "the server stops in \(Words.seconds(draining.endsIn))"
    case .sessionEnded(let end): "ended: \(Words.of(end.reason))"
    case .routeChanged(let change):
      "route changed, \(Words.of(change.reason)): "
        + (change.hasPrevious ? "from \(change.previous.phrase) " : "")
        + "to \(change.hasCurrent ? change.current.phrase : "none")"
    case .interruption(let interruption):
      "interruption \(interruption.began ? "started" : "ended"): \(Words.of(interruption.reason))"
        + (interruption.shouldResume ? ", audio may resume" : "")
    case .echoPathChanged(let change):
      "the echo is \(Words.seconds(change.delay)) behind the reference"
        + (change.converged ? ", and is removed" : ", not removed yet")
    case nil: "an event that this version does not know"
    }
  }
}
