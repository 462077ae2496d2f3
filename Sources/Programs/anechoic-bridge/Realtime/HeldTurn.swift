/// A turn that began while an answer waits to be heard, in a pause of it: "mhm" would cut the
/// answer off.
///
/// The server says at once that a voice interrupts what the person hears. In a pause it cannot:
/// there, a turn interrupts once it has gone on for longer than a backchannel.
struct HeldTurn {
  /// The time that a turn has to go on in a pause of the answer. With the time that the server
  /// needs to find it, a person is heard half a second after the first sound, and most backchannels
  /// are shorter.
  private static let leastInPause = Duration.milliseconds(420)
  /// The time beside an answer that is heard again, for which the server's decision is awaited.
  private static let leastBesideSound = Duration.seconds(1)

  let since: ContinuousClock.Instant
  /// Whether the person pauses, so that the turn may be over.
  var isPaused = false

  func isSpeech(_ now: ContinuousClock.Instant, besideSound: Bool) -> Bool {
    !isPaused && now - since >= (besideSound ? Self.leastBesideSound : Self.leastInPause)
  }
}
