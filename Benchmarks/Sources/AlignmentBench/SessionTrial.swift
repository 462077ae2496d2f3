internal import AcousticSimulator
internal import AudioCore
internal import VoiceEngines
internal import VoiceSessions
internal import WebRTCEngine

/// A run of a recording through a session, as a client would send it. Only echo cancellation is on.
final class SessionTrial: SessionSink {
  /// The source of the session's echo reference.
  enum Reference { case sent, sentWithTimes, ownPlaybackWithReports }

  private(set) var score: Score
  /// The delays that the session reported for the echo, and the times of the reports in seconds.
  private(set) var found: [(at: Double, delay: Duration, hasConverged: Bool)] = []
  var statistics: SessionStatistics { session.statistics }
  private var output: [Float] = []
  private var verdicts: [Bool] = []
  private let rate: SampleRate
  private let session: VoiceSession

  init(
    _ scene: EchoScene, _ recording: EchoScene.Recording, _ rate: SampleRate,
    reference: Reference = .sent, network: Network = .steady,
    suppression: EngineSettings.EchoSuppression = .moderate
  ) throws {
    self.rate = rate
    let format = AudioFormat(encoding: .f32, rate: rate, channelCount: 1)
    var setup = SessionSetup(microphone: format)
    setup.configuration.voiceProcessing.echoCancellation = .on(suppression)
    setup.configuration.voiceProcessing.noiseSuppression = .off
    setup.configuration.voiceProcessing.gainControl = .off
    if reference == .ownPlaybackWithReports {
      setup.farEnd = format
      setup.playback = format
    } else {
      setup.reference = format
    }
    session = try VoiceSession(setup, engine: WebRTCVoiceEngine.self)
    score = Score(recording, rate, output: [], latency: 0, hasVoice: [])
    let frames = recording.microphone.count / rate.samplesPerFrame
    for delivery in network.deliveries(frames: frames) {
      try deliver(delivery, scene, recording, reference)
    }
    session.finish(.clientClosed, sink: self)
    score = Score(
      recording, rate, output: output, latency: rate.samples(in: session.delays.processed),
      hasVoice: verdicts)
  }

  private func deliver(
    _ delivery: (input: Network.Input, frame: Int), _ scene: EchoScene,
    _ recording: EchoScene.Recording, _ reference: Reference
  ) throws {
    let hasTimes = reference != .sent
    let seconds = Double(delivery.frame) / 100
    switch delivery.input {
    case .reference:
      let time = reference == .sentWithTimes ? scene.playbackTime(ofReference: seconds) : nil
      let input = reference == .ownPlaybackWithReports ? InputKind.farEnd : .reference
      try append(recording.reference, delivery.frame, to: input, time)
    case .microphone:
      guard !scene.microphoneGaps.contains(where: { $0.contains(seconds) }) else { return }
      let time = hasTimes ? scene.captureTime(at: seconds) : nil
      try append(recording.microphone, delivery.frame, to: .microphone, time)
    }
    session.process(sink: self)
    if delivery.input == .microphone, reference == .ownPlaybackWithReports,
      delivery.frame % 10 == 9
    {
      try report(scene, at: seconds)
    }
  }

  private func append(
    _ samples: [Float], _ frame: Int, to input: InputKind, _ time: Duration?
  ) throws {
    let first = frame * rate.samplesPerFrame
    try samples[first..<first + rate.samplesPerFrame].withUnsafeBytes {
      try session.append(
        $0, to: input, firstSample: Int64(first), deviceTime: time, gap: .unspecified, sink: self)
    }
  }

  /// Reports the sample that is heard now, and the silence that the last underrun inserted before
  /// it.
  private func report(_ scene: EchoScene, at seconds: Double) throws {
    let heard = seconds - scene.lag(at: seconds)
    guard heard >= 0 else { return }
    let silence = scene.jumps.reduce(0.0) { sum, jump in
      jump.by > 0 && (seconds - 0.1..<seconds).contains(jump.at) ? sum + jump.by : sum
    }
    let sample = Int64(heard * Double(rate.hertz))
    try session.playbackWasHeard(
      firstSample: sample,
      at: scene.playbackTime(ofReference: Double(sample) / Double(rate.hertz)),
      silence: UInt32(silence * Double(rate.hertz)))
  }

  // MARK: SessionSink

  func emit(_ chunk: OutputChunk) {
    output.append(contentsOf: chunk.processed.bytes.bindMemory(to: Float.self))
    verdicts.append(contentsOf: chunk.frames.map(\.hasVoice))
  }

  func emit(_ event: SessionEvent) {
    guard case .echoPathChanged(let delay, let hasConverged) = event.kind else { return }
    found.append((Double(event.microphoneSample) / Double(rate.hertz), delay, hasConverged))
  }

  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
