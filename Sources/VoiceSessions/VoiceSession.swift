internal import AudioCore
public import VoiceEngines

/// One session: audio and controls in, audio and events out.
///
/// It does no I/O and reads no clock: time is the index of the microphone's samples. It belongs to
/// one thread. What comes of a call goes to the sink that the call is given.
public final class VoiceSession {
  /// How long a frame of the microphone waits for its reference, in frames of the microphone that
  /// came after it.
  static let longestWaitFrames = 6

  public private(set) var configuration: SessionConfiguration
  /// Microphone in to processed out, for the whole session.
  public let algorithmicDelay: Duration
  private let setup: SessionSetup
  private let pipeline: CapturePipeline
  private let chunker: OutputChunker
  private var microphone: InputTimeline
  private var reference: InputTimeline
  private let microphoneFrame: Frame
  private let referenceFrame: Frame
  private let outputFrame: Frame
  private var settled: Int64 = 0  // the microphone's samples that came before the last chunk
  private var schedule = ControlSchedule()
  private var detector: VoiceActivityDetector
  private var meter = SessionMeter()
  private var lastEventID: UInt64 = 0

  /// Throws an `EngineError` or a `FrameResampler.Failure` for what cannot be processed.
  public init(_ setup: SessionSetup, engine: any VoiceEngine.Type) throws {
    self.setup = setup
    configuration = setup.configuration
    pipeline = try CapturePipeline(setup, engine)
    algorithmicDelay = pipeline.latency
    chunker = OutputChunker(format: setup.processed, framesPerChunk: setup.framesPerChunk)
    let referenceFormat = setup.reference ?? setup.microphone
    microphone = InputTimeline(format: setup.microphone)
    reference = InputTimeline(format: referenceFormat)
    microphoneFrame = Frame(
      rate: setup.microphone.rate, channelCount: setup.microphone.channelCount)
    referenceFrame = Frame(rate: referenceFormat.rate, channelCount: referenceFormat.channelCount)
    outputFrame = Frame(rate: setup.processed.rate, channelCount: setup.processed.channelCount)
    detector = VoiceActivityDetector(setup.configuration.voiceActivity)
  }

  /// The sample of the microphone that is processed next.
  public var position: Int64 { microphone.taken }

  /// Takes in samples of an input. Those of one instant belong together: append the reference
  /// first, then the microphone, then call `process`.
  public func append(
    _ samples: UnsafeRawBufferPointer, to input: InputKind, firstSample: Int64?, gap: GapReason,
    sink: any SessionSink
  ) throws(InputFault) {
    let missing: Int64
    switch input {
    case .microphone:
      settled = microphone.arrived
      missing = try microphone.append(samples, firstSample: firstSample)
    case .reference:
      missing = try reference.append(samples, firstSample: firstSample)
    }
    guard missing > 0 else { return }
    meter.concealed(missing)
    emit(.discontinuity(input, gap, missingSamples: missing), to: sink)
  }

  /// Has a control applied at its sample. The result goes to the sink, now or then.
  public func submit(_ control: SessionControl, sink: any SessionSink) {
    do {
      try schedule.add(control)
    } catch {
      sink.emit(ControlResult(id: control.id, appliedAtSample: position, refusal: error))
    }
  }

  /// Processes the frames that are complete, `limit` of them at most.
  /// Runs per frame: no allocation, lock, log or await.
  public func process(atMost limit: Int = .max, sink: any SessionSink) {
    var left = limit
    while left > 0, hasCompleteFrame {
      processFrame(emitting: outputFrame.sampleCount, sink: sink)
      left -= 1
    }
  }

  /// Whether a frame of the microphone is there, with its reference or long enough without.
  public var hasCompleteFrame: Bool {
    microphone.hasFrame && (isReferenceHere || hasWaitedEnough)
  }

  /// Processes what is left, so that as much has gone out as came in, and ends the session.
  public func finish(_ reason: SessionEvent.EndReason, sink: any SessionSink) {
    process(sink: sink)
    while microphone.waiting > 0 {
      let left = setup.microphone.rate.convert(microphone.waiting, to: setup.processed.rate)
      processFrame(emitting: min(left, outputFrame.sampleCount), sink: sink)
    }
    chunker.flush(to: sink)
    for control in schedule.takeAll() {
      let refusal = Refusal(
        .tooLate, reason: "SESSION_ENDED", message: "the session ended before the sample came")
      sink.emit(ControlResult(id: control.id, appliedAtSample: position, refusal: refusal))
    }
    emit(.ended(reason), to: sink)
  }

  private var isReferenceHere: Bool { setup.reference == nil || reference.hasFrame }

  private var hasWaitedEnough: Bool {
    let frame = Int64(microphoneFrame.sampleCount)
    return settled - (microphone.taken + frame) >= Int64(Self.longestWaitFrames) * frame
  }

  /// Runs per frame: no allocation, lock, log or await.
  private func processFrame(emitting count: Int, sink: any SessionSink) {
    if !schedule.isEmpty { applyDueControls(sink: sink) }
    microphone.take(into: microphoneFrame)
    if setup.reference != nil {
      let isLast = microphone.waiting == 0
      let found = reference.take(into: referenceFrame)
      if found < referenceFrame.sampleCount, !isLast || found == 0 { meter.referenceMissed() }
    }
    let findings = pipeline.process(
      microphone: microphoneFrame, reference: referenceFrame, into: outputFrame)
    meter.measure(microphone: microphoneFrame, processed: outputFrame, findings)
    if configuration.voiceActivity.isEnabled,
      let change = detector.process(hasVoice: findings.hasVoice)
    {
      report(change, to: sink)
    }
    let info = FrameInfo(
      speechProbability: findings.speechProbability, hasVoice: findings.hasVoice)
    chunker.add(outputFrame, count: count, info, to: sink)
    if let interval = setup.framesPerStatistics, meter.frames.isMultiple(of: UInt64(interval)) {
      sink.emit(meter.statistics(pipeline.engine.echoMetrics, configuration.preferredMicMode))
    }
  }
}

// MARK: - Controls and events

extension VoiceSession {
  private func applyDueControls(sink: any SessionSink) {
    for control in schedule.takeDue(at: position) {
      switch control.change {
      case .configuration(let change):
        do throws(Refusal) {
          let changed = try change(configuration)
          sink.emit(ControlResult(id: control.id, appliedAtSample: position, refusal: nil))
          apply(changed, sink: sink)
        } catch {
          sink.emit(ControlResult(id: control.id, appliedAtSample: position, refusal: error))
        }
      }
    }
  }

  private func apply(_ changed: SessionConfiguration, sink: any SessionSink) {
    let previous = configuration
    guard changed != previous else { return }
    configuration = changed
    pipeline.engine.apply(changed.engineSettings(for: changed.preferredMicMode))
    if changed.voiceActivity != previous.voiceActivity {
      if detector.isActive {
        emit(.voiceActivityChanged(isActive: false, beganAt: position), to: sink)
      }
      detector = VoiceActivityDetector(
        changed.voiceActivity, atFrame: position / Int64(microphoneFrame.sampleCount))
    }
    emit(.configurationChanged(changed), to: sink)
    if changed.preferredMicMode != previous.preferredMicMode {
      let mode = changed.preferredMicMode
      emit(.micModeChanged(preferred: mode, active: mode), to: sink)
    }
  }

  private func report(_ change: VoiceActivityDetector.Change, to sink: any SessionSink) {
    switch change {
    case .began(let frame):
      emit(.voiceActivityChanged(isActive: true, beganAt: sample(ofFinding: frame)), to: sink)
    case .ended(let frame):
      emit(.voiceActivityChanged(isActive: false, beganAt: sample(ofFinding: frame)), to: sink)
    }
  }

  /// Where in the microphone's timeline that was which the engine found in a frame.
  private func sample(ofFinding frame: Int64) -> Int64 {
    max(0, frame * Int64(microphoneFrame.sampleCount) - pipeline.findingsLatencySamples)
  }

  private func emit(_ kind: SessionEvent.Kind, to sink: any SessionSink) {
    lastEventID += 1
    sink.emit(SessionEvent(id: lastEventID, microphoneSample: position, kind: kind))
  }
}
