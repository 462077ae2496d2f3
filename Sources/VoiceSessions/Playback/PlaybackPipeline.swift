internal import AudioCore
internal import VoiceEngines

/// What is to be heard: far end, ducked other audio, chime and injected speech, mixed and limited.
final class PlaybackPipeline {
  /// The last 10 ms of it.
  let mix: Frame
  let farEnd: PlaybackInput?
  let otherAudio: PlaybackInput?
  let farEndVoice: FarEndVoice?
  var chime: Chime
  private var framesSinceFarEnd = PlaybackPipeline.farEndHoldFrames
  private var ducker: Ducker
  private var limiter: Limiter

  init(_ setup: SessionSetup, _ engine: any VoiceEngine.Type) throws {
    let format = setup.playback ?? setup.farEnd ?? setup.processed
    mix = Frame(rate: format.rate, channelCount: format.channelCount)
    farEnd = try setup.farEnd.map { try PlaybackInput($0, playback: format) }
    otherAudio = try setup.otherAudio.map { try PlaybackInput($0, playback: format) }
    farEndVoice = try setup.farEnd.map {
      try FarEndVoice($0, setup.configuration.voiceActivity, engine)
    }
    chime = Chime(rate: format.rate)
    ducker = Ducker(setup.configuration.ducking)
    limiter = Limiter(rate: format.rate)
  }

  /// A far end that was silent for so long plays nothing; shorter pauses are those between words.
  private static let farEndHoldFrames = 100

  /// Whether the far end is to be heard now.
  var farEndPlays: Bool { framesSinceFarEnd < Self.farEndHoldFrames }

  /// Of other audio, in dB, 0 or less.
  var duckingGain: Float { otherAudio == nil ? 0 : ducker.gain }

  /// Moves the inputs on by 10 ms and listens to the far end.
  /// Runs per frame: no allocation, lock, log or await.
  func advance(_ configuration: SessionConfiguration) -> VoiceActivityDetector.Change? {
    farEnd?.advance()
    otherAudio?.advance()
    guard let farEnd, let farEndVoice else { return nil }
    framesSinceFarEnd =
      farEnd.frame.peak > 0 ? 0 : min(framesSinceFarEnd + 1, Self.farEndHoldFrames)
    let isListenedTo =
      configuration.voiceActivity.isFarEndEnabled
      || otherAudio != nil && configuration.ducking.isAdvanced
    return farEndVoice.process(farEnd.frame, isListenedTo: isListenedTo)
  }

  /// Makes the mix of what `advance` brought.
  /// Runs per frame: no allocation, lock, log or await.
  func process(
    nearEndTalks: Bool, _ configuration: SessionConfiguration, _ injections: InjectionQueue
  ) -> Ducker.Change? {
    mix.clear()
    if let farEnd { mix.add(farEnd.converted) }
    let change = otherAudio.flatMap { other -> Ducker.Change? in
      let before = ducker.gain
      let change = ducker.process(
        nearEndTalks: nearEndTalks, farEndTalks: farEndVoice?.activity.isActive ?? false,
        configuration.ducking)
      mix.add(
        other.converted, from: Decibels.factor(before), to: Decibels.factor(ducker.gain))
      return change
    }
    chime.add(to: mix)
    if injections.isHeard { mix.add(injections.playback, to: injections.lastGain) }
    limiter.process(mix)
    return change
  }

  /// Forgets what waits to be heard.
  func clear() {
    farEnd?.clear()
    otherAudio?.clear()
  }
}
