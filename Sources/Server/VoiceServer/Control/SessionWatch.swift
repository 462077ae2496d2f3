internal import AnechoicAPI
internal import Authentication
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The responses that a watcher of a session gets, one after another: a snapshot, then every event
/// and the newest statistics. Does no I/O.
struct SessionWatch {
  enum Step {
    /// A serialized `WatchSessionResponse`.
    case response([UInt8])
    /// Nothing has happened since the last response.
    case wait
    case end(Status)
  }

  let session: SessionHandle
  /// Nil if the watcher wants no statistics.
  let statisticsInterval: Duration?
  /// The serialized responses that precede the events: the snapshot, and a gap if there is one.
  private var first: [[UInt8]] = []
  private var nextEvent: UInt64
  /// The newest statistics, unless they have been sent.
  private var statistics: [UInt8]?

  /// Throws the status that ends the call if the request is wrong or there is no such session.
  init(
    _ request: Anechoic_V1_WatchSessionRequest, _ directory: SessionDirectory, for client: Principal
  ) throws(Status) {
    session = try directory.session(named: request.name, for: client)
    do {
      statisticsInterval = try request.statsInterval.asStatisticsInterval(path: "stats_interval")
    } catch {
      throw Status(error)
    }
    let now = session.feed.session
    nextEvent = now.lastEventID + 1
    if request.hasFromEventID {
      guard request.fromEventID > 0, request.fromEventID <= nextEvent else {
        throw Status(
          InvalidFieldError("from_event_id", "must be within 1 to \(nextEvent), the next event"))
      }
      nextEvent = request.fromEventID
      if case .forgotten(let oldest) = session.feed.entry(nextEvent) {
        nextEvent = oldest
        prepend(.with { $0.gap.oldestEventID = oldest })
      }
    }
    prepend(.with { $0.snapshot = .whole(session, now, for: client) })
  }

  mutating func next() -> Step {
    if !first.isEmpty { return .response(first.removeFirst()) }
    switch session.feed.entry(nextEvent) {
    case .event(let bytes):
      nextEvent += 1
      return .response(bytes)
    case .forgotten: return .end(.slowWatcher)
    case .end: return .end(.ok)
    case .notYet: return statistics.take().map(Step.response) ?? .wait
    }
  }

  /// Takes statistics, which replace older ones that have not been sent.
  mutating func accept(_ statistics: Anechoic_V1_SessionStats) {
    let response = Anechoic_V1_WatchSessionResponse.with { $0.stats = statistics }
    self.statistics = try? response.serializedBytes()
  }

  private mutating func prepend(_ response: Anechoic_V1_WatchSessionResponse) {
    first.append((try? response.serializedBytes()) ?? [])
  }
}
