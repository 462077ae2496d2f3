internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SessionWire
internal import SpatialAudio
internal import SwiftProtobuf
internal import VoiceSessions

/// The listener profile of a running session.
extension RunningSession {
  /// Follows the profile that the configuration names. Its responses are loaded on another thread; until
  /// then the former ones are heard.
  func follow(profile: String) {
    guard profile != profiles.wanted else { return }
    profiles.wanted = profile
    loadResponses()
  }

  private func loadResponses() {
    guard setup.canRender, let rate = setup.playback?.rate, !profiles.isLoading else { return }
    profiles.isLoading = true
    let (name, store, owner, handle) = (profiles.wanted, profiles.store, profiles.owner, handle)
    Task(executorPreference: BackgroundExecutor.shared) {
      let responses = try? await store.responses(name, of: owner, rate: rate)
      handle.tell { $0.use(responses, of: name) }
    }
  }

  /// Uses loaded responses. Nil keeps the former ones, because the profile was deleted meanwhile.
  private func use(_ responses: HeadRelatedSet?, of profile: String) {
    profiles.isLoading = false
    guard profiles.wanted == profile else { return loadResponses() }
    guard let responses else { return }
    session.apply(.headResponses(responses, ofProfile: profile), sink: self)
  }
}
