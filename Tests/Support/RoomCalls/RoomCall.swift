public import AcousticSimulator
internal import AudioCore
public import VoiceEngines
public import VoiceSessions

/// A session of any length in a room. The far end repeats its speech; the echo of a repetition is that
/// of the one before it. Keeps the power of each frame, and not the sound.
public final class RoomCall: SessionSink {
  private static let framesPerSecond = 100

  /// The mean squares of the frames of the microphone.
  public private(set) var microphone: [Float] = []
  /// The mean squares of the frames of the output, in the microphone's time.
  public private(set) var output: [Float] = []
  /// Whether these frames of the output contain voice.
  public private(set) var voice: [Bool] = []
  /// The changes of the muted talker: the seconds, and whether somebody talks.
  public private(set) var mutedSpeech: [(seconds: Double, isActive: Bool)] = []

  private let rate: SampleRate
  private let played: [Float]
  private let echo: [Float]
  private let near: [Float]
  private let noise: Float
  private var random = SeededNoise(77)
  private let session: VoiceSession
  private let samples: UnsafeMutablePointer<Float>

  /// Creates a call.
  ///
  /// - Parameters:
  ///   - scene: The room, the delay and the level of the echo, and the level of the noise. Its other
  ///     properties do not apply.
  ///   - farEnd: The speech that is repeated. It ends with silence, in which its echo decays.
  ///   - near: The sound of the near end at the microphone. It is not repeated.
  ///   - change: The changes of the setup, whose mic mode is the standard one with gain control.
  public init(
    _ scene: EchoScene, farEnd: [Float], near: [Float] = [], engine: any VoiceEngine.Type,
    _ change: (inout SessionSetup) -> Void = { _ in }
  ) throws {
    rate = SampleRate.allCases.first { $0.hertz == scene.rate } ?? .hz16000
    let size = rate.samplesPerFrame
    played = Array(farEnd.prefix(farEnd.count / size * size))
    var quiet = scene
    quiet.noiseLevel = nil
    echo = Array(quiet.record(farEnd: played + played).echo.suffix(played.count))
    self.near = near
    // The power of uniform noise is a third of the square of its amplitude.
    noise = scene.noiseLevel.map { Decibels.factor($0) * Float(3).squareRoot() } ?? 0
    samples = .allocate(capacity: size)
    samples.initialize(repeating: 0, count: size)
    let format = AudioFormat(encoding: .f32, rate: rate, channelCount: 1)
    var setup = SessionSetup(microphone: format)
    setup.reference = format
    setup.isRealTime = false
    setup.configuration.voiceActivity.isEnabled = true
    change(&setup)
    session = try VoiceSession(setup, engine: engine)
  }

  deinit { samples.deallocate() }

  /// Runs the whole call.
  public func run(seconds: Int) throws {
    let size = rate.samplesPerFrame
    for frame in 0..<seconds * Self.framesPerSecond {
      let first = frame * size
      for index in 0..<size { samples[index] = played[(first + index) % played.count] }
      try append(to: .reference, first)
      var power: Float = 0
      for index in 0..<size {
        let place = first + index
        let heard = echo[place % echo.count] + noise * random.next()
        samples[index] = near.indices.contains(place) ? heard + near[place] : heard
        power += samples[index] * samples[index]
      }
      microphone.append(power / Float(size))
      try append(to: .microphone, first)
      session.process(sink: self)
    }
    session.finish(.clientClosed, sink: self)
    // The output follows the microphone by whole frames and a part of one.
    let delay = Int((session.delays.processed / .milliseconds(10)).rounded())
    output.removeFirst(min(delay, output.count))
    voice.removeFirst(min(delay, voice.count))
  }

  private func append(to input: InputKind, _ first: Int) throws {
    let bytes = UnsafeRawBufferPointer(
      UnsafeBufferPointer(start: samples, count: rate.samplesPerFrame))
    try session.append(bytes, to: input, firstSample: Int64(first), gap: .unspecified, sink: self)
  }

  public func emit(_ chunk: OutputChunk) {
    let sound = chunk.processed.bytes.bindMemory(to: Float.self)
    let size = rate.samplesPerFrame
    for first in stride(from: 0, to: sound.count - size + 1, by: size) {
      var power: Float = 0
      for index in first..<first + size { power += sound[index] * sound[index] }
      output.append(power / Float(size))
    }
    voice.append(contentsOf: chunk.frames.map(\.hasVoice))
  }

  public func emit(_ event: SessionEvent) {
    guard case .mutedSpeech(let isActive) = event.kind else { return }
    mutedSpeech.append((Double(event.microphoneSample) / Double(rate.hertz), isActive))
  }

  public func emit(_ result: ControlResult) {}
  public func emit(_ statistics: SessionStatistics) {}
}

// MARK: Results

extension RoomCall {
  /// Returns the level of the microphone in dBFS, from one second to another.
  public func microphoneLevel(_ seconds: Range<Double>) -> Float { Self.level(microphone, seconds) }

  /// Returns the level of the output in dBFS, from one second of the microphone to another.
  public func outputLevel(_ seconds: Range<Double>) -> Float { Self.level(output, seconds) }

  /// Returns the reduction in dB from the microphone to the output.
  public func reduction(_ seconds: Range<Double>) -> Float {
    microphoneLevel(seconds) - outputLevel(seconds)
  }

  /// Returns the seconds of voice in a range of seconds.
  public func voiceSeconds(_ seconds: Range<Double>) -> Double {
    Double(voice[Self.frames(seconds, of: voice.count)].count { $0 }) / Double(Self.framesPerSecond)
  }

  /// Returns the results of `measure` for each part of this many seconds, a second apart.
  public func parts<Result>(
    of length: Int, from begin: Int, _ measure: (Range<Double>) -> Result
  ) -> [(begin: Int, result: Result)] {
    let end = microphone.count / Self.framesPerSecond
    guard begin + length <= end else { return [] }
    return (begin...end - length).map { ($0, measure(Double($0)..<Double($0 + length))) }
  }

  private static func level(_ powers: [Float], _ seconds: Range<Double>) -> Float {
    let part = powers[frames(seconds, of: powers.count)]
    return Decibels.level(meanSquare: part.reduce(0, +) / Float(max(1, part.count)))
  }

  private static func frames(_ seconds: Range<Double>, of count: Int) -> Range<Int> {
    let range = Int(seconds.lowerBound * 100)..<Int(seconds.upperBound * 100)
    return range.clamped(to: 0..<count)
  }
}
