import AcousticSimulator
import AudioCore
import BundledEngines
import TestAudio
import VoiceEngines
import VoiceSessions

/// A scene in a session with the real engine, which only cancels the echo.
final class EchoRun {
  /// The source of the echo reference.
  enum Source { case reference, playback, none }

  let rate: SampleRate
  let scene: EchoScene
  let recording: EchoScene.Recording
  let session: VoiceSession
  let sink = RecordingSink()
  /// The times that the client claims.
  var captureTime: (_ seconds: Double) -> Duration? = { _ in nil }
  var playbackTime: (_ seconds: Double) -> Duration? = { _ in nil }
  /// The frame by which the client counts, or nil for a chunk without an index.
  var count: (_ frame: Int) -> Int? = { $0 }
  private let source: Source
  private var frameSize: Int { rate.samplesPerFrame }

  /// Returns a scene with so little noise that the remaining echo is audible.
  static func scene(lag: Double, _ change: (inout EchoScene) -> Void = { _ in }) -> EchoScene {
    var scene = EchoScene(rate: Voices.rate.hertz)
    scene.noiseLevel = -75
    scene.lag = lag
    change(&scene)
    return scene
  }

  init(
    _ scene: EchoScene, farEnd: [Float], near: [Float] = [], from source: Source = .reference,
    engine: any VoiceEngine.Type = EngineCatalog.bundled.defaultEngine,
    _ change: (inout SessionSetup) -> Void = { _ in }
  ) throws {
    let rate = SampleRate.allCases.first { $0.hertz == scene.rate } ?? Voices.rate
    self.rate = rate
    self.scene = scene
    self.source = source
    recording = scene.record(farEnd: farEnd, near: near)
    var setup = SessionSetup(microphone: .f32(rate))
    if source == .reference { setup.reference = .f32(rate) }
    if source == .playback { (setup.farEnd, setup.playback) = (.f32(rate), .f32(rate)) }
    setup.configuration.voiceProcessing.noiseSuppression = .off
    setup.configuration.voiceProcessing.gainControl = .off
    setup.configuration.voiceActivity.isEnabled = true
    setup.framesPerStatistics = 10
    change(&setup)
    session = try VoiceSession(setup, engine: engine)
  }

  var frameCount: Int { recording.microphone.count / frameSize }

  /// Makes both devices report their times, on a clock with an arbitrary zero.
  func tellTimes() {
    captureTime = { [scene] in scene.captureTime(at: $0) }
    playbackTime = { [scene] in scene.playbackTime(ofReference: $0) }
  }

  /// Sends everything and finishes. Calls `beforeFrame` before each frame of the microphone.
  func run(
    _ network: Network = .steady, beforeFrame: (_ frame: Int) throws -> Void = { _ in }
  ) throws {
    for delivery in network.deliveries(frames: frameCount) {
      switch delivery.input {
      case .reference: if source != .none { try sendReference(delivery.frame) }
      case .microphone:
        try beforeFrame(delivery.frame)
        try sendMicrophone(delivery.frame)
      }
    }
    session.finish(.clientClosed, sink: sink)
  }

  /// Sends nothing during a gap of the scene's microphone.
  func sendMicrophone(_ frame: Int) throws {
    let seconds = Double(frame) / 100
    guard !scene.microphoneGaps.contains(where: { $0.contains(seconds) }) else { return }
    try append(recording.microphone, frame, to: .microphone, captureTime(seconds))
    session.process(sink: sink)
  }

  func sendReference(_ frame: Int, gap: GapReason = .unspecified) throws {
    let time = source == .reference ? playbackTime(Double(frame) / 100) : nil
    let input = source == .reference ? InputKind.reference : .farEnd
    try append(recording.reference, frame, to: input, time, gap: gap)
    session.process(sink: sink)
  }

  private func append(
    _ samples: [Float], _ frame: Int, to input: InputKind, _ time: Duration?,
    gap: GapReason = .unspecified
  ) throws {
    let first = frame * frameSize
    try encode([Array(samples[first..<first + frameSize])], .f32).withUnsafeBytes {
      try session.append(
        $0, to: input, firstSample: count(frame).map { Int64($0 * frameSize) }, deviceTime: time,
        gap: gap, sink: sink)
    }
  }
}

// MARK: Results

extension EchoRun {
  /// The output, aligned with the microphone.
  var output: [Float] {
    let latency = rate.samples(in: session.delays.processed)
    return Array(decode(sink.processed, .f32(rate))[0].dropFirst(latency))
  }

  /// Returns the reduction of the echo in dB, from one second of the scene to another. `lost` is the number of
  /// samples of the microphone that the session lacks before them.
  func reduction(_ seconds: Range<Double>, lost: Int = 0) -> Float {
    let samples = samples(seconds)
    let heard = samples.lowerBound - lost..<samples.upperBound - lost
    return level(recording.echo[samples]) - level(output[heard])
  }

  /// Returns the maximum in dB by which the output is louder than the microphone, in pieces of 50
  /// ms above -50 dBFS.
  func excess(_ seconds: Range<Double>) -> Float {
    let (samples, output) = (samples(seconds), output)
    let size = frameSize
    return stride(from: samples.lowerBound, to: samples.upperBound - 5 * size, by: size).map {
      first in
      let after = level(output[first..<first + 5 * size])
      let around = max(0, first - 2 * size)..<min(recording.microphone.count, first + 7 * size)
      let before = stride(from: around.lowerBound, to: around.upperBound - size, by: size).map {
        level(recording.microphone[$0..<$0 + size])
      }.max()
      return after > -50 ? after - (before ?? -100) : -100
    }.max() ?? -100
  }

  /// Returns the share of frames with voice, from one second of the microphone to another.
  func voiceShare(_ seconds: Range<Double>) -> Double {
    let delay = rate.samples(in: session.delays.processed) / frameSize
    let frames = (Int(seconds.lowerBound * 100) + delay)..<(Int(seconds.upperBound * 100) + delay)
    let found = sink.frames[frames.clamped(to: sink.frames.indices)]
    return Double(found.count { $0.hasVoice }) / Double(max(1, found.count))
  }

  /// The reported echo paths: the times in seconds and the lags in milliseconds.
  var echoPaths: [ReportedPath] {
    sink.events.compactMap { event in
      guard case .echoPathChanged(let delay, let hasConverged) = event.kind else { return nil }
      return ReportedPath(
        at: Double(event.microphoneSample) / Double(rate.hertz),
        milliseconds: delay / .milliseconds(1), hasConverged: hasConverged)
    }
  }

  struct ReportedPath {
    let at: Double
    let milliseconds: Double
    let hasConverged: Bool
  }

  /// The reported starts of the near end's voice in seconds.
  var voiceStarts: [Double] {
    sink.kinds.compactMap { kind in
      guard case .voiceActivityChanged(.nearEnd, isActive: true, let sample) = kind else {
        return nil
      }
      return Double(sample) / Double(rate.hertz)
    }
  }

  func warnings(_ problem: CaptureProblem) -> [SessionEvent.Kind] {
    sink.kinds.filter {
      $0 == .captureWarning(problem, isActive: true)
        || $0 == .captureWarning(problem, isActive: false)
    }
  }

  private func samples(_ seconds: Range<Double>) -> Range<Int> {
    let end = min(output.count, Int(seconds.upperBound * Double(rate.hertz)))
    return min(end, Int(seconds.lowerBound * Double(rate.hertz)))..<end
  }
}
