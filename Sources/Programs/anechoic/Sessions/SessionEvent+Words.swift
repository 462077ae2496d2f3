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
}
