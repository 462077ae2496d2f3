internal import AnechoicAPI
public import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization
internal import VoiceClient

/// A microphone whose sound a server processes, for programs that must never wait for it.
///
/// `push` takes samples of the microphone and the loudspeaker, and `pull` returns as many samples of
/// the processed voice, at a constant delay. Neither of them waits for the network. While there is no
/// processed sound, because the server is absent, late, or refuses the session, the output is the
/// microphone or silence (`LiveVoiceOptions.fallback`), and silence while the voice is muted. The
/// voice reconnects by itself, resumes its session, and starts a new one where that one is gone.
///
/// `push` and `pull` neither wait, lock nor allocate. Call each of them on one thread at a time; the two may
/// be different threads.
///
/// A voice runs until `close` is called.
public final class LiveVoice: Sendable {
  struct State {
    var events = LiveVoiceEvents()
    /// The session that runs.
    var stream: ResumableStream?
    var isClosed = false
    var lateSince: ContinuousClock.Instant?
    var controls = PendingControls()
    var mute: RequestedMute
    /// The time at which another session has taken the place of the one that runs, until what is sent follows.
    var newSessionBegan: ContinuousClock.Instant?
    /// The session that was lost, for the next one.
    var kept: KeptSession?
    var decisions = InjectionDecisions()
    /// The echo path that was learnt last, for the next session.
    var echoPath: Anechoic_V1_EchoPath?

    /// Asks the session that runs to change its mute state. `end` is the index after the microphone's last sample.
    mutating func requestMute(_ muted: Bool, at end: Int64) {
      let control = Anechoic_V1_Control.with { $0.setMute.muted = muted }
      mute.ask(muted, controlID: controls.add(control, at: end))
    }
  }

  /// The settings that the voice was created with.
  public let options: LiveVoiceOptions
  let state: Mutex<State>
  let captured: CapturedSound
  let output: SteadyOutput
  let wakeup: Wakeup
  private let muted: Atomic<Bool>
  /// The index of the output from which on the server has applied a mute.
  private let mutedFrom = Atomic<Int64>(0)

  /// Creates a voice and begins to connect. Throws INVALID_ARGUMENT for settings that are not valid, and
  /// RESOURCE_EXHAUSTED if the process may open no more files.
  public init(_ options: LiveVoiceOptions) throws(Status) {
    if let problem = options.problem { throw Status(.invalidArgument, problem) }
    self.options = options
    let client = VoiceProcessingClient(
      server: options.server, clientName: options.clientName, security: options.security,
      credentials: options.credentials)
    let rate = options.microphone.sampleRate
    let delay = Int(options.delay / .seconds(1) * Double(rate))
    captured = CapturedSound(
      capacity: SteadyOutput.capacity(rate: rate, delay: delay),
      microphoneChannels: options.microphone.channels,
      referenceChannels: options.reference?.channels ?? 0)
    output = SteadyOutput(
      captured, rate: rate, delay: delay, isSilentWithoutServer: options.fallback == .silence)
    wakeup = try Wakeup()
    state = Mutex(
      State(mute: RequestedMute(muted: options.isMuted), echoPath: options.echoPathHint))
    muted = Atomic(options.isMuted)
    Task { await run(client) }
  }

  // MARK: Sound

  /// Adds samples of one instant, interleaved, in -1...1. A reference that is nil is silent. If `pull` is
  /// not called for two seconds, the oldest output is dropped.
  public func push(
    microphone: UnsafeBufferPointer<Float>, reference: UnsafeBufferPointer<Float>? = nil
  ) {
    captured.append(microphone, reference)
    wakeup.signal()
  }

  /// Fills `output` with processed samples, interleaved, and returns their number for each channel: as
  /// many as were pushed and not pulled yet, but not more than there is room for.
  public func pull(into output: UnsafeMutableBufferPointer<Float>) -> Int {
    self.output.read(into: output, silentUntil: silentUntil)
  }

  /// The index of the output up to which a muted voice is silent, or nil if it is not muted.
  var silentUntil: Int64? {
    muted.load(ordering: .acquiring) ? mutedFrom.load(ordering: .relaxed) : nil
  }

  /// Returns the next event, or nil if there is none. The newest 256 events are kept.
  public func nextEvent() -> LiveVoiceEvent? { state.withLock { $0.events.next() } }

  /// Whether the sound that was pulled last was processed.
  public var isProcessing: Bool { output.isProcessed }

  /// Whether the voice is muted, by `setMuted` or by another client.
  public var isMuted: Bool { muted.load(ordering: .relaxed) }

  // MARK: Control

  /// Mutes or unmutes the voice. A mute takes effect at once, and an unmute with the server's answer. A request
  /// that the server refuses is sent again. While there is no server, both take effect at once.
  public func setMuted(_ muted: Bool) {
    state.withLock { state in
      if state.stream == nil {
        state.mute.ask(muted)
      } else {
        state.requestMute(muted, at: captured.count)
      }
      publish(state.mute)
    }
    wakeup.signal()
  }

  /// Changes the state of the mute, which the thread of `pull` follows.
  func recordMute(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      publish(state.mute)
    }
  }

  func publish(_ mute: RequestedMute) {
    let (applied, isOverflow) = mute.appliedFrom.addingReportingOverflow(Int64(output.delay))
    mutedFrom.store(isOverflow ? .max : applied, ordering: .relaxed)
    muted.store(mute.isMuted, ordering: .releasing)
  }

  /// Accepts or rejects a mute gesture that an event asked about.
  public func decideGesture(_ id: String, accept: Bool) {
    change {
      .with {
        $0.decideMuteGesture.gestureID = id
        $0.decideMuteGesture.accept = accept
      }
    }
  }

  /// Answers the request of a client to inject speech. In later sessions, the voice repeats the answer itself.
  public func decideInjection(by client: String, grant: Bool) {
    change {
      .with {
        $0.decideInjectionPermission.client = client
        $0.decideInjectionPermission.grant = grant
      }
    }
  }

  /// Sends the control that `body` returns if there is a session.
  private func change(_ body: () -> Anechoic_V1_Control) {
    state.withLock { state in
      let control = body()
      state.decisions.record(control)
      if state.stream != nil { state.controls.add(control) }
    }
    wakeup.signal()
  }

  /// Ends the session. Sound that was pushed can still be pulled.
  public func close() {
    let stream = state.withLock { state in
      state.isClosed = true
      return state.stream
    }
    wakeup.signal()
    guard let stream else { return }
    stream.finish()
    Task {
      try? await Task.sleep(for: .seconds(1))
      stream.cancel()
    }
  }
}

/// The sound of a voice as 16-bit samples.
extension LiveVoice {
  /// Adds 16-bit samples of one instant, interleaved. See `push(microphone:reference:)`.
  public func push(
    microphone: UnsafeBufferPointer<Int16>, reference: UnsafeBufferPointer<Int16>? = nil
  ) {
    captured.append(microphone, reference)
    wakeup.signal()
  }

  /// Fills `output` with 16-bit samples, interleaved, and returns their number for each channel. See
  /// `pull(into:)`.
  public func pull(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
    self.output.read(into: output, silentUntil: silentUntil)
  }
}
