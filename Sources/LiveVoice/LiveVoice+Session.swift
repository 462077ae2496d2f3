internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceClient

/// The sessions of a voice, one after another.
extension LiveVoice {
  /// The time between two attempts to start a session. It doubles with each attempt.
  private static let pauses = Duration.milliseconds(200)...Duration.seconds(5)

  /// Runs sessions until the voice is closed.
  func run(_ first: VoiceProcessingClient) async {
    var (client, pause) = (first, Self.pauses.lowerBound)
    while let start {
      do {
        let stream = try await client.processResumably(start)
        pause = Self.pauses.lowerBound
        await carry(stream, isMuted: start.muted)
      } catch {
        note(.fallback(reason: "\(error)"))
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, Self.pauses.upperBound)
        // A channel that has failed waits before it connects again.
        client = client.reconnected()
      }
    }
  }

  /// Runs one session, which began muted or not, to its end.
  private func carry(_ stream: ResumableStream, isMuted: Bool) async {
    guard let base = begin(stream, isMuted: isMuted) else { return stream.cancel() }
    let packets = packets
    // One task sends everything: a stream takes one request at a time, and controls keep their order.
    let sending = Task {
      while let request = await nextRequest() {
        do {
          switch request {
          case .control(let control): try await stream.send(control)
          case .audio(let piece): try await stream.send(message(piece, base, packets))
          }
        } catch { return }
      }
    }
    var reason = "the session has ended"
    do {
      while let update = try await stream.receive() { take(update, base, packets) }
    } catch {
      reason = "\(error)"
    }
    end(because: reason)
    await sending.value
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
    let (isClosed, isMuted) = state.withLock { ($0.isClosed, $0.isMuted) }
    guard !isClosed else { return nil }
    return Anechoic_V1_Start.with {
      $0.inputs.microphone = format(options.microphone)
      if let reference = options.reference { $0.inputs.reference = format(reference) }
      $0.outputs.processed = format(options.microphone)
      $0.config.preferredMicMode =
        switch options.micMode {
        case .standard: .standard
        case .voiceIsolation: .voiceIsolation
        case .wideSpectrum: .wideSpectrum
        }
      $0.config.voiceActivityDetection.enabled = true
      $0.engine = options.engine
      $0.muted = isMuted
      $0.labels = options.labels
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

  /// Notes the start of a session, and returns the index of its first sample. Returns nil if the voice
  /// is closed. `isMuted` is the state that the session has. The voice may have another one since.
  private func begin(_ stream: ResumableStream, isMuted: Bool) -> Int64? {
    let rate = Double(options.microphone.sampleRate)
    let algorithmicDelay = Int((stream.algorithmicDelay / .seconds(1) * rate).rounded())
    return state.withLock { state in
      guard !state.isClosed else { return nil }
      state.output.start(algorithmicDelay: algorithmicDelay)
      state.pending.drop()
      state.controls.drop()
      let isMutedNow = state.isMuted
      if isMutedNow != isMuted { state.controls.add(.with { $0.setMute.muted = isMutedNow }) }
      state.link = (stream, state.output.pushed)
      return state.output.pushed
    }
  }

  private func end(because reason: String) {
    let sender = state.withLock { state in
      state.link = nil
      state.events.add(.fallback(reason: reason))
      return state.sender.take()
    }
    sender?.resume()
  }

  func note(_ event: LiveVoiceEvent) { state.withLock { $0.events.add(event) } }

  // MARK: Sending

  private enum Request {
    case control(Anechoic_V1_Control)
    case audio(PendingInput.Piece)
  }

  /// Returns the next control, or samples as soon as there are 10 ms of them. Returns nil at the end of
  /// the session.
  private func nextRequest() async -> Request? {
    while true {
      let (request, isOver) = state.withLock { state in
        (
          state.controls.take().map(Request.control) ?? state.pending.take().map(Request.audio),
          state.link == nil || state.isClosed
        )
      }
      if let request { return request }
      if isOver { return nil }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.controls.isEmpty, !state.pending.isReady, state.link != nil, !state.isClosed
          else { return true }
          state.sender = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  private func message(
    _ piece: PendingInput.Piece, _ base: Int64, _ packets: VoicePackets?
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

  private func take(_ update: ResumableStream.Update, _ base: Int64, _ packets: VoicePackets?) {
    switch update {
    case .reconnecting(let status): note(.fallback(reason: "\(status)"))
    case .resumed: break
    case .restarted(let started, _, _): note(.fallback(reason: "\(started.session) is new"))
    case .response(let response):
      switch response.response {
      case .audio(let audio): take(audio.processed, base, packets)
      case .event(var event):
        event.microphoneSample += base
        state.withLock { state in
          if case .muteChanged(let change) = event.event { state.isMuted = change.state.muted }
          state.events.add(.session(event))
        }
      case .started, .controlResult, .stats, nil: break
      }
    }
  }

  private func take(
    _ chunk: Anechoic_V1_AudioChunk, _ base: Int64, _ packets: VoicePackets?
  ) {
    let samples = packets?.output(chunk.samples) ?? options.encoding.samples(chunk.samples)
    let first = chunk.firstSample + base
    samples.withUnsafeBufferPointer { samples in
      state.withLock { state in
        let lateness = state.output.lateness(
          ofSampleAt: first + Int64(samples.count / state.output.channels))
        state.output.add(samples, at: first)
        if lateness > 0 { state.noteLateness(lateness, options.microphone.sampleRate) }
        guard lateness <= 0, let link = state.link else { return }
        state.events.add(.processing(session: link.stream.started.session))
      }
    }
  }
}

extension LiveVoice.State {
  /// The shortest time between two events about late sound.
  private static let pause = Duration.seconds(10)

  mutating func noteLateness(_ samples: Int64, _ rate: Int) {
    let now = ContinuousClock.now
    if let lateSince, now - lateSince < Self.pause { return }
    lateSince = now
    events.add(.late(by: .seconds(Double(samples) / Double(rate))))
  }
}
