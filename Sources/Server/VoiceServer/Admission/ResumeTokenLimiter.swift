internal import Operations

/// The limits on wrong resume tokens from one host.
///
/// A right token is always accepted, so that a client that guesses cannot keep others from their
/// sessions.
struct ResumeTokenLimiter {
  /// The number of wrong tokens at once, and in each second.
  static let atOnce = 100.0
  static let perSecond = 10.0
  /// The maximum number of hosts that are told apart. All further hosts share one limit.
  static let mostHosts = 256
  /// The time after which a host has its whole budget again.
  private static let memory = Duration.seconds(atOnce / perSecond)

  private var hosts: [String: (bucket: TokenBucket, lastSeen: ContinuousClock.Instant)] = [:]
  private var others = ResumeTokenLimiter.bucket

  private static var bucket: TokenBucket { TokenBucket(burst: atOnce, perSecond: perSecond) }

  /// Counts a wrong token. Returns whether the host is below its limit.
  mutating func take(for host: String, now: ContinuousClock.Instant) -> Bool {
    if hosts[host] == nil {
      if hosts.count >= Self.mostHosts {
        hosts = hosts.filter { now - $0.value.lastSeen < Self.memory }
      }
      guard hosts.count < Self.mostHosts else { return others.take(now: now) }
    }
    var place = hosts[host] ?? (Self.bucket, now)
    place.lastSeen = now
    defer { hosts[host] = place }
    return place.bucket.take(now: now)
  }
}
