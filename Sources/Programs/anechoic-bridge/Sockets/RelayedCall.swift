internal import Foundation
internal import LinuxSystem
internal import Operations

/// A call between a client and an upstream, both of which speak WebSocket. One thread runs the call from
/// its start to its end.
struct RelayedCall<Rules: Relay>: ~Copyable {
  typealias Instant = ContinuousClock.Instant

  /// The time between two looks at the clock.
  private static var tick: Duration { .milliseconds(10) }
  /// The bytes that wait for a side, at which messages of the other one wait.
  private static var mostWaiting: Int { 1 << 20 }
  /// The messages of a side that are handled before the other side is looked at.
  private static var mostMessages: Int { 64 }
  /// The time for messages that are on their way when the client ends.
  private static var drainTime: Duration { .seconds(1) }
  /// The time for both connections to close.
  private static var farewell: Duration { .seconds(3) }

  private let name: String
  private let log: @Sendable (String) -> Void
  private let isStopping: @Sendable () -> Bool
  private let client: RelaySide
  private let upstream: RelaySide
  private var relay: Rules
  private var nextCheck = Instant.now
  /// The time until which messages of a client that has ended are passed on.
  private var drainEnd: Instant?
  /// The time until which the connections have to close, and the reason of the end.
  private var end: (time: Instant, reason: String)?

  init(
    _ name: String, client: RelaySide, upstream: RelaySide, _ relay: Rules,
    log: @escaping @Sendable (String) -> Void, isStopping: @escaping @Sendable () -> Bool
  ) {
    self.name = name
    self.client = client
    self.upstream = upstream
    self.relay = relay
    self.log = log
    self.isStopping = isStopping
  }

  /// Runs the call to its end.
  consuming func run() {
    log("\(name): started")
    while end.map({ $0.time > .now }) ?? true, !(client.isOver && upstream.isOver) { step() }
    relay.close()
    log("\(name): ended: \(end?.reason ?? "both connections were lost")")
  }

  private mutating func step() {
    var events = [client.wanted, upstream.wanted]
    poll(&events, 2, Int32(Self.tick / .milliseconds(1)))
    let now = Instant.now
    client.proceed(events[0].revents, now: now)
    upstream.proceed(events[1].revents, now: now)
    if end == nil {
      passFromClient(now)
      passFromUpstream(now)
      relay.advance(now: now)
      flush(now)
      checkEnds(now)
    }
    guard now >= nextCheck else { return }
    nextCheck = now + .seconds(1)
    client.checkTime(now)
    upstream.checkTime(now)
  }

  private mutating func passFromClient(_ now: Instant) {
    for _ in 0..<Self.mostMessages {
      guard relay.readsClient, upstream.waitingBytes < Self.mostWaiting,
        let message = client.next(now: now)
      else { return }
      relay.acceptFromClient(message, now: now)
      flush(now)
    }
  }

  private mutating func passFromUpstream(_ now: Instant) {
    for _ in 0..<Self.mostMessages {
      guard client.waitingBytes < Self.mostWaiting, let message = upstream.next(now: now) else {
        return
      }
      relay.acceptFromUpstream(message, now: now)
      flush(now)
    }
  }

  /// Sends what the relay has for both sides.
  private mutating func flush(_ now: Instant) {
    let out = relay.outbox.take()
    for message in out.toClient { client.send(message, now: now) }
    for message in out.toUpstream { upstream.send(message, now: now) }
    for line in out.log { log("\(name): \(line)") }
  }

  // MARK: The end

  private mutating func checkEnds(_ now: Instant) {
    if isStopping() {
      return finish(WebSocketClosing(1001, "the bridge stops"), "the bridge stops", now)
    }
    if let upstreamEnd = upstream.end {
      switch upstreamEnd {
      case .closed(let closing):
        finish(closing, "the upstream closed with \(Self.words(closing))", now)
      case .lost(let reason):
        finish(WebSocketClosing(1014, "the upstream was lost"), "upstream: \(reason)", now)
      }
    } else if let clientEnd = client.endOrLoss {
      if drainEnd == nil {
        drainEnd = now + Self.drainTime
        relay.clientEnded(now: .now)
      }
      guard relay.isDrained || now >= drainEnd ?? now else { return }
      switch clientEnd {
      case .closed(let closing):
        finish(closing, "the client closed with \(Self.words(closing))", now)
      case .lost(let reason): finish(WebSocketClosing(1001), "client: \(reason)", now)
      }
    }
  }

  private mutating func finish(_ closing: WebSocketClosing, _ reason: String, _ now: Instant) {
    end = (now + Self.farewell, reason)
    client.close(closing, now: now)
    upstream.close(closing, now: now)
  }

  private static func words(_ closing: WebSocketClosing) -> String {
    closing.reason.isEmpty ? "\(closing.code)" : "\(closing.code), \(closing.reason)"
  }
}
