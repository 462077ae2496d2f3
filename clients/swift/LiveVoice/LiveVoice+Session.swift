internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceClient

/// The sessions of a voice, one after another.
extension LiveVoice {
  /// A voice never stops trying to reach its server.
  private static var policy: ReconnectionPolicy {
    var policy = ReconnectionPolicy()
    policy.longestOutage = .seconds(Int32.max)
    return policy
  }

  /// Runs sessions until the voice is closed.
  func run(_ first: VoiceProcessingClient) async {
    let policy = Self.policy
    var (client, attempts) = (first, Attempts(policy))
    while let start {
      var failure: (any Error)?
      do {
        let server = client
        let stream = try await answer(of: "server", within: policy.attemptTimeout) {
          try await server.processResumably(start, policy: policy)
        }
        failure = await carry(stream)
        attempts.sessionEnded(since: stream.kept.began)
      } catch {
        failure = error
      }
      recordEnd(failure)
      // A channel that has failed waits before it connects again.
      client = client.reconnected()
      try? await Task.sleep(for: attempts.next(after: failure))
    }
  }

  /// Records the end of a session or of an attempt to start one.
  private func recordEnd(_ failure: (any Error)?) {
    let status = failure as? Status
    state.withLock { state in
      if status?.refuses("start.echo_path_hint") == true {
        state.echoPath = nil
      } else {
        state.kept?.refused(status?.code)
      }
      state.events.addFallback(
        failure.map { "\($0)" } ?? "the session has ended",
        isRefusal: !(status?.isWorthAnotherAttempt ?? true))
    }
  }

  /// Runs one session to its end. Returns the error with which it ended, or nil if it ended in order.
  private func carry(_ stream: ResumableStream) async -> (any Error)? {
    guard begin(stream) else {
      stream.cancel()
      return nil
    }
    let packets = packets
    let reader = CaptureReader(
      captured, rate: options.microphone.sampleRate,
      framesPerPacket: packets == nil ? nil : VoicePackets.framesPerPacket)
    // One task sends everything: a stream takes one request at a time, and controls keep their order.
    let sending = Task { await send(on: stream, reader, packets) }
    var placing = Placing(
      base: reader.position, algorithmicDelay: samples(in: delay(of: stream.started)),
      packets: packets)
    var failure: (any Error)?
    do {
      while let update = try await stream.receive() { accept(update, &placing, of: stream) }
    } catch {
      failure = error
    }
    recordMute { state in
      state.kept = stream.kept
      state.stream = nil
      state.mute.connectionLost()
    }
    wakeup.signal()
    await sending.value
    return failure
  }

  /// The delay from the microphone to the output that is used.
  private func delay(of started: Anechoic_V1_Started) -> Duration {
    options.consumer == .recognizer ? started.recognitionDelay : started.processingDelay
  }

  private func samples(in time: Duration) -> Int {
    Int((time / .seconds(1) * Double(options.microphone.sampleRate)).rounded())
  }

  /// The codecs of a new session, or nil for plain samples.
  private var packets: VoicePackets? {
    guard options.encoding == .opus, let rate = SampleRate(rawValue: options.microphone.sampleRate)
    else { return nil }
    return VoicePackets(
      rate: rate, microphoneChannels: options.microphone.channels,
      referenceChannels: options.reference?.channels)
  }

  /// The start of a new session, or nil if the voice is closed.
  private var start: Anechoic_V1_Start? {
    guard !state.withLock({ $0.isClosed }) else { return nil }
    return Anechoic_V1_Start.with {
      $0.inputs.microphone = format(options.microphone)
      if let reference = options.reference { $0.inputs.reference = format(reference) }
      $0.outputs.processed = format(options.microphone)
      if options.consumer == .recognizer { $0.outputs.recognizer = format(options.microphone) }
      $0.config.preferredMicMode =
        switch options.micMode {
        case .standard: .standard
        case .voiceIsolation: .voiceIsolation
        case .wideSpectrum: .wideSpectrum
        }
      $0.config.voiceActivityDetection.enabled = true
      if options.detectsTurns { $0.config.turnDetection.enabled = true }
      $0.engine = options.engine
      $0.muted = state.withLock { $0.mute.wanted }
      state.withLock({ $0.kept })?.apply(to: &$0)
      $0.labels = options.labels
      if let path = state.withLock({ $0.echoPath }) { $0.echoPathHint = path }
      $0.echoPathWanted = options.onEchoPath != nil
      $0.pacing = .realTime
    }
  }

  private func format(_ format: LiveVoiceOptions.Format) -> Anechoic_V1_AudioFormat {
    Anechoic_V1_AudioFormat.with {
      $0.encoding =
        switch options.encoding {
        case .int16: .pcmS16Le
        case .float32: .pcmF32Le
        case .opus: .opus
        }
      $0.sampleRateHz = UInt32(format.sampleRate)
      $0.channelCount = UInt32(format.channels)
    }
  }

  /// Records the start of a session. Returns false if the voice is closed.
  private func begin(_ stream: ResumableStream) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.controls.drop()
      let isMuted = stream.started.mute.muted
      if let wanted = state.mute.began(muted: isMuted, at: captured.count) {
        state.requestMute(wanted, at: captured.count)
      }
      state.stream = stream
      state.newSessionBegan = nil
      publish(state.mute)
      return true
    }
  }

  // MARK: Sending

  /// Sends controls, and samples as soon as there are 10 ms of them, until the session ends.
  private func send(
    on stream: ResumableStream, _ reader: consuming CaptureReader, _ packets: VoicePackets?
  ) async {
    let base = reader.position
    for await _ in wakeup.signals {
      do {
        while true {
          let sent = reader.position
          let (control, began, isOver) = state.withLock { state in
            (
              state.controls.pop(now: .now, sent: sent), state.newSessionBegan.take(),
              state.stream == nil || state.isClosed
            )
          }
          if isOver { return }
          if let began { reader.begin(at: began) }
          if let control {
            try await stream.send(control)
          } else if let piece = reader.take() {
            tellLeftOut(reader.popLeftOut())
            try await stream.send(message(piece, base, packets))
          } else {
            if reader.pause > .zero { wakeup.signal(after: reader.pause) }
            break
          }
        }
      } catch { return }
    }
  }

  private func tellLeftOut(_ samples: Int64) {
    guard samples > 0 else { return }
    state.withLock {
      $0.events.addFallback("\(samples) samples from before the session were not processed")
    }
  }

  private func message(
    _ piece: CaptureReader.Piece, _ base: Int64, _ packets: VoicePackets?
  ) -> Anechoic_V1_AudioInput {
    Anechoic_V1_AudioInput.with {
      $0.microphone.samples =
        packets?.microphone(piece.microphone) ?? options.encoding.data(piece.microphone)
      $0.microphone.firstSample = piece.first - base
      guard options.reference != nil else { return }
      $0.reference.samples =
        packets?.reference(piece.reference) ?? options.encoding.data(piece.reference)
      $0.reference.firstSample = piece.first - base
    }
  }

  // MARK: Receiving

  /// The place of the output of a session.
  private struct Placing {
    /// The index of the microphone's sample with which the session began.
    let base: Int64
    var algorithmicDelay: Int
    let packets: VoicePackets?
  }

  private func accept(
    _ update: ResumableStream.Update, _ placing: inout Placing, of stream: ResumableStream
  ) {
    switch update {
    case .reconnecting(let status):
      recordMute { state in
        state.mute.connectionLost()
        state.events.addFallback("\(status)")
      }
    case .resumed: recordResumption(stream.started)
    case .restarted(let started, _, let lost, _):
      recordResumption(started)
      placing.algorithmicDelay = samples(in: delay(of: started))
      state.withLock {
        $0.newSessionBegan = .now
        $0.events.addFallback("\(started.session) is new; \(lost) samples were not processed")
      }
    case .response(let response):
      switch response.response {
      case .audio(let audio):
        let isForRecognizer = options.consumer == .recognizer
        accept(isForRecognizer ? audio.recognizer : audio.processed, placing, of: stream)
      case .event(var event):
        event.move(by: placing.base)
        if case .muteChanged(let change) = event.event {
          recordMute { $0.mute.changed(to: change.state.muted, at: event.microphoneSample) }
        }
        state.withLock { state in
          if let decision = state.decisions.answer(to: event) {
            state.controls.add(decision)
          } else {
            state.events.add(.session(event))
          }
        }
        wakeup.signal()
      case .controlResult(let result):
        let (id, isRefused) = (result.controlID, result.hasRefusal)
        recordMute { state in
          state.controls.answered(id, isRefused: isRefused, now: .now)
          state.mute.answered(
            controlID: id, isRefused: isRefused, at: result.appliedAtSample + placing.base)
        }
        wakeup.signal(after: isRefused ? MuteRequests.pause : .zero)
      case .echoPath(let path):
        state.withLock { $0.echoPath = path }
        options.onEchoPath?(path)
      case .started, .stats, .voiceprint, nil: break
      }
    }
  }

  private func recordResumption(_ started: Anechoic_V1_Started) {
    recordMute { $0.mute.resumed(muted: started.mute.muted, at: captured.count) }
  }

  private func accept(
    _ chunk: Anechoic_V1_AudioChunk, _ placing: Placing, of stream: ResumableStream
  ) {
    let samples = placing.packets?.output(chunk.samples) ?? options.encoding.samples(chunk.samples)
    let lateness = samples.withUnsafeBufferPointer { samples in
      output.add(
        samples, at: chunk.firstSample + placing.base, algorithmicDelay: placing.algorithmicDelay)
    }
    state.withLock { state in
      if lateness > 0 {
        state.recordLateness(lateness, options.microphone.sampleRate)
      } else if state.stream === stream {
        state.events.add(.processing(session: stream.started.session))
      }
    }
  }
}

extension LiveVoice.State {
  /// The shortest time between two events about late sound.
  private static let pause = Duration.seconds(10)

  mutating func recordLateness(_ samples: Int64, _ rate: Int) {
    let now = ContinuousClock.now
    if let lateSince, now - lateSince < Self.pause { return }
    lateSince = now
    events.add(.late(by: .seconds(Double(samples) / Double(rate))))
  }
}
