internal import AnechoicAPI
internal import struct Foundation.Date
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// Sends the results of a session to its media client, the device that plays its playback, its watchers,
/// the metrics and the log.
struct SessionOutlet {
  /// The call of the media client. Nil while the session is suspended.
  var link: ClientLink?
  /// The call of another device that plays the playback, or nil.
  var player: PlaybackClient?
  var observation: SessionObservation
  private let feed: EventFeed

  init(_ link: ClientLink, _ feed: EventFeed, _ observation: SessionObservation) {
    self.link = link
    self.feed = feed
    self.observation = observation
  }

  /// The number of chunks of audio that wait for the media client.
  var waitingChunks: Int { link?.output.waitingAudio ?? 0 }
  /// Whether half of the limit on unread responses is used.
  var isHalfFull: Bool { link?.output.isHalfFull ?? false }

  /// Passes the playback to the client that plays it, and returns the chunk that the media client gets.
  /// Runs per chunk: no allocation, lock, log or await.
  func splitOff(_ chunk: OutputChunk) -> OutputChunk {
    if let samples = chunk.playback { player?.playback.write(samples) }
    return chunk.withoutPlayback
  }

  /// Sends an event to the media client and to those who watch. `state` is the state after the event.
  func send(_ event: SessionEvent, _ state: SessionState) {
    let message = Anechoic_V1_SessionEvent(event, time: .init(date: .now))
    link?.output.send(.with { $0.event = message })
    let watched = Anechoic_V1_WatchSessionResponse.with { $0.event = message }
    feed.publish((try? watched.serializedBytes()) ?? [], state)
  }

  func send(_ result: ControlResult) {
    link?.output.send(.with { $0.controlResult = Anechoic_V1_ControlResult(result) })
  }

  func send(_ statistics: Anechoic_V1_SessionStats) {
    link?.output.send(.with { $0.stats = statistics })
  }

  func send(_ path: Anechoic_V1_EchoPath) {
    link?.output.send(.with { $0.echoPath = path })
  }

  func send(_ voiceprint: Anechoic_V1_Voiceprint) {
    link?.output.send(.with { $0.voiceprint = voiceprint })
  }

  /// Returns the number of events after `last` that the feed no longer has.
  func lostEvents(after last: UInt64) -> UInt64 {
    if case .forgotten(let oldest) = feed.entry(last + 1) { oldest - (last + 1) } else { 0 }
  }

  /// Sends again the events that the feed still has, from the one with the id `first`.
  func sendEvents(from first: UInt64) {
    var next = first
    while case .event(let bytes) = feed.entry(next) {
      if let watched = try? Anechoic_V1_WatchSessionResponse(serializedBytes: bytes) {
        link?.output.send(.with { $0.event = watched.event })
      }
      next += 1
    }
  }
}
