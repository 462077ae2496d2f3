public import AudioCore
public import VoiceEngines

/// The output of an engine for whole signals.
public struct EngineRun {
  public var output: [[Float]] = []
  public var findings: [FrameFindings] = []
  public let echoMetrics: EchoMetrics
  /// The latency that the engine reports.
  public let latencySamples: Int

  /// Processes planes of the microphone and the reference.
  ///
  /// - Parameters:
  ///   - referenceRate: The rate of the reference; nil for that of the microphone.
  ///   - changes: The settings that apply from a frame on, or `samples` later.
  ///   - path: The echo path of all frames but those in `conditions`.
  ///   - conditions: The conditions of frames.
  public init(
    _ engineType: any VoiceEngine.Type, _ settings: EngineSettings, rate: SampleRate,
    microphone: [[Float]], reference: [[Float]]? = nil, referenceRate: SampleRate? = nil,
    changes: [Int: EngineSettings] = [:], after samples: Int = 0,
    path: EchoConditions.Path = .unknown, conditions: [Int: EchoConditions] = [:]
  ) throws {
    let referenceRate = referenceRate ?? rate
    let format = EngineFormat(
      rate: rate, channelCount: microphone.count,
      reference: reference.map { .init(rate: referenceRate, channelCount: $0.count) })
    let engine = try engineType.init(format: format, settings: settings)
    let input = Frame(rate: rate, channelCount: microphone.count)
    let played = Frame(rate: referenceRate, channelCount: reference?.count ?? 1)
    let processed = Frame(rate: rate, channelCount: microphone.count)
    output = microphone.map { _ in [] }
    for frame in 0..<((microphone.first?.count ?? 0) / rate.samplesPerFrame) {
      if let change = changes[frame] { engine.apply(change, after: samples) }
      input.fill(microphone, frame)
      if let reference { played.fill(reference, frame) }
      findings.append(
        engine.process(
          microphone: input, reference: played,
          conditions: conditions[frame] ?? EchoConditions(path: path), into: processed))
      for channel in output.indices { output[channel].append(contentsOf: processed.plane(channel)) }
    }
    echoMetrics = engine.echoMetrics
    latencySamples = engineType.latencySamples(format)
  }
}

extension Frame {
  /// Copies a frame of the planes of a signal.
  fileprivate func fill(_ planes: [[Float]], _ frame: Int) {
    for channel in planes.indices {
      let plane = plane(channel)
      for index in plane.indices { plane[index] = planes[channel][frame * sampleCount + index] }
    }
  }
}
