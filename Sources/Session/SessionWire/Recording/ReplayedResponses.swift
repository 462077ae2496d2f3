internal import AnechoicAPI
internal import AudioCore
internal import SpatialAudio

/// The head-related responses of a replay, compared with the recorded ones.
final class ReplayedResponses {
  /// Whether all responses had the recorded digests so far.
  private(set) var areSame = true
  private let profiles: [String: MeasuredResponses]
  /// Nil for a session that cannot render.
  private let rate: SampleRate?
  private var lookup = Anechoic_V1_RecordedAct.ProfileLookup()

  init(_ profiles: [String: MeasuredResponses], rate: SampleRate?) {
    self.profiles = profiles
    self.rate = rate
  }

  /// Returns whether the client of the recorded session had a profile at that time.
  func hasProfile(_ name: String) -> Bool { lookup.found && lookup.listenerProfile == name }

  /// Returns the responses of a profile, or the generic ones, and compares their digest. A recording of
  /// an earlier version has no digest. Returns nil for a session that cannot render.
  func set(of profile: String, recorded digest: String) throws(SOFAError) -> HeadRelatedSet? {
    guard let rate else { return nil }
    let set =
      if let own = profiles[profile] {
        try HeadRelatedSet(own, rate: rate)
      } else {
        try HeadRelatedSet.generic(rate: rate)
      }
    if !digest.isEmpty, set.digest != digest { areSame = false }
    return set
  }

  /// Follows the answer to the question for a profile that the next request contains.
  func follow(_ lookup: Anechoic_V1_RecordedAct.ProfileLookup) { self.lookup = lookup }

  /// Returns the responses that the recorded session changed to, or nil if there are none.
  func set(for change: Anechoic_V1_RecordedAct.HeadResponses) -> HeadRelatedSet? {
    let set = try? set(of: change.listenerProfile, recorded: change.sha256)
    if set == nil { areSame = false }
    return set
  }
}
