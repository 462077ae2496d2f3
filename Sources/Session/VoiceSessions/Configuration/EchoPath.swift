public import AudioCore
internal import VoiceEngines

/// The way of the sound from the reference to the microphone, as a session has learnt it. Another session
/// of the same device can begin with it.
public struct EchoPath: Sendable, Equatable {
  /// The delays that a path can have.
  public static let times = Duration.zero ... .seconds(1)

  /// The rate of the responses, at which the engine works.
  public var rate: SampleRate
  public var channelCount: Int
  /// The delay of the echo behind its reference as it arrives.
  public var lag: Duration
  /// The part of the delay that comes before the response: the time for which the reference is held back.
  public var held: Duration
  /// The impulse responses of all channels, one after the other.
  public var responses: [Float]

  public init(
    rate: SampleRate, channelCount: Int, lag: Duration, held: Duration, responses: [Float]
  ) {
    self.rate = rate
    self.channelCount = channelCount
    self.lag = lag
    self.held = held
    self.responses = responses
  }

  /// Whether an engine with this format can begin with the path.
  func fits(_ engine: any EchoPathEngine.Type, _ format: EngineFormat) -> Bool {
    rate == format.rate && channelCount == format.channelCount && format.reference != nil
      && responses.count == channelCount * engine.longestResponse(format)
  }
}

/// When a session tells the echo path that it has learnt.
struct EchoPathSchedule {
  /// The frames with a converged canceller before the first time, and between two times.
  private static let firstFrames = 500
  private static let framesBetween = 3000

  private var frames = 0
  private var hasTold = false

  /// Adds a frame. Returns whether the path is to be told.
  mutating func advance(hasConverged: Bool) -> Bool {
    guard hasConverged else { return false }
    frames += 1
    guard frames >= (hasTold ? Self.framesBetween : Self.firstFrames) else { return false }
    frames = 0
    hasTold = true
    return true
  }
}
