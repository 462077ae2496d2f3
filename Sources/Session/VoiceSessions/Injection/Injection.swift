internal import AudioCore

/// Injected speech, with one channel for each of the two outputs.
final class Injection {
  /// In real time, an injection ends after a pause of this many frames.
  static let longestPauseFrames = 500

  let id: String
  let client: String
  let audience: InjectionAudience
  /// Whether all of the speech has arrived.
  var isComplete = false
  var isCancelled = false
  private(set) var hasStarted = false
  private let longestPause: Int?
  private var processed: SampleQueue
  private var playback: SampleQueue
  private var samplesPlayed: Int64 = 0
  private var pausedFrames = 0

  /// Creates an injection that ends after a pause of `longestPause` frames, or never where it is nil.
  init(
    id: String, client: String, heard audience: InjectionAudience, processed: SampleRate,
    playback: SampleRate, longestPause: Int?
  ) {
    self.longestPause = longestPause
    self.id = id
    self.client = client
    self.audience = audience
    self.processed = SampleQueue(format: .injected(processed))
    self.playback = SampleQueue(format: .injected(playback))
  }

  /// The duration that was heard so far.
  var played: Duration { processed.format.rate.duration(ofSamples: Int(samplesPlayed)) }

  /// The duration that waits to be heard.
  var backlog: Duration { processed.format.rate.duration(ofSamples: processed.count) }

  var isOver: Bool { isCancelled || hasStalled || (isComplete && isEmpty) }

  private var isEmpty: Bool { processed.count == 0 && playback.count == 0 }

  /// Whether speech that has ended without silence would fade out in the next frame.
  var isFading: Bool { !isCancelled && (processed.isFading || playback.isFading) }

  private var hasStalled: Bool { longestPause.map { pausedFrames >= $0 } ?? false }

  /// Whether all of the speech was heard.
  var isFinished: Bool { isComplete && isEmpty && !isCancelled }

  func append(_ speech: InjectedSpeech) {
    speech.processed.withUnsafeBytes { _ = processed.append($0) }
    speech.playback.withUnsafeBytes { _ = playback.append($0) }
  }

  /// Moves the next 10 ms into the two frames. Runs per frame: no allocation, lock, log or await.
  func read(processed processedFrame: borrowing Frame, playback playbackFrame: borrowing Frame) {
    pausedFrames = isEmpty && !isComplete ? pausedFrames + 1 : 0
    hasStarted = hasStarted || !isEmpty
    samplesPlayed += Int64(processed.read(into: processedFrame))
    playback.read(into: playbackFrame)
  }
}

/// The people who hear injected speech.
public enum InjectionAudience: Sendable {
  /// The far end, as if spoken at the microphone, and the person at the device.
  case everywhere
  /// The person at the device.
  case playbackAlone
}

/// A piece of speech at the rates of the two outputs, one channel each.
public struct InjectedSpeech: Sendable {
  public let processed: [Float]
  public let playback: [Float]

  public init(processed: [Float], playback: [Float]) {
    self.processed = processed
    self.playback = playback
  }
}

extension AudioFormat {
  fileprivate static func injected(_ rate: SampleRate) -> AudioFormat {
    AudioFormat(encoding: .f32, rate: rate, channelCount: 1)
  }
}
