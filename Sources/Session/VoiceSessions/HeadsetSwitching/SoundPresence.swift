/// The rule that decides from the sound of a program whether it plays long-form media.
///
/// Sound counts once it has lasted longer than a notification. Silence up to 2 s does not end it.
public struct SoundPresence: Sendable, Equatable {
  /// The longest silence within media.
  public static let longestSilence = Duration.seconds(2)
  /// The duration of sound from which on it is not a notification.
  public static let shortestMedia = Duration.seconds(2)

  private let silence: Duration
  private let shortest: Duration
  private var began: ContinuousClock.Instant?
  private var lastHeard: ContinuousClock.Instant?

  /// Creates the rule.
  ///
  /// - Parameters:
  ///   - silence: The longest silence that does not end the sound.
  ///   - shortest: The duration from which on the sound counts.
  public init(
    silence: Duration = SoundPresence.longestSilence,
    shortest: Duration = SoundPresence.shortestMedia
  ) {
    self.silence = silence
    self.shortest = shortest
  }

  /// Records whether there is sound now.
  public mutating func record(isSounding: Bool, now: ContinuousClock.Instant) {
    guard isSounding else { return }
    if !isHeard(now: now) { began = now }
    lastHeard = now
  }

  /// Whether there is sound, or was until a moment ago.
  public func isHeard(now: ContinuousClock.Instant) -> Bool {
    lastHeard.map { now - $0 <= silence } ?? false
  }

  /// Whether the sound is long-form media.
  public func isMedia(now: ContinuousClock.Instant) -> Bool {
    guard isHeard(now: now), let began, let lastHeard else { return false }
    return lastHeard - began >= shortest
  }

  /// Whether there is sound that is too short for media so far.
  public func isShort(now: ContinuousClock.Instant) -> Bool {
    isHeard(now: now) && !isMedia(now: now)
  }
}
