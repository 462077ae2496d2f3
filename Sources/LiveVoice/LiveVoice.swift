internal import AnechoicAPI
internal import Foundation
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
/// A voice runs until `close` is called.
public final class LiveVoice: Sendable {
  struct State {
    var output: SteadyOutput
    var pending: PendingInput
    var events = LiveVoiceEvents()
    var isMuted: Bool
    /// The session, and the microphone's index at which it began.
    var link: (stream: ResumableStream, base: Int64)?
    var isClosed = false
    /// Continues the task that sends.
    var sender: CheckedContinuation<Void, Never>?
    var lateSince: ContinuousClock.Instant?
    var controls = PendingControls()
  }

  /// The settings that the voice was created with.
  public let options: LiveVoiceOptions
  let state: Mutex<State>

  /// Creates a voice and begins to connect. Throws INVALID_ARGUMENT for settings that are not valid.
  public init(_ options: LiveVoiceOptions) throws(Status) {
    if let problem = options.problem { throw Status(.invalidArgument, problem) }
    self.options = options
    let client = VoiceProcessingClient(
      server: options.server, clientName: options.clientName, security: options.security,
      credentials: options.credentials)
    let (rate, channels) = (options.microphone.sampleRate, options.microphone.channels)
    state = Mutex(
      State(
        output: SteadyOutput(
          rate: rate, channels: channels, delay: Int(options.delay / .seconds(1) * Double(rate)),
          isSilentWithoutServer: options.fallback == .silence),
        pending: PendingInput(
          rate: rate, microphoneChannels: channels,
          referenceChannels: options.reference?.channels ?? 0,
          framesPerPacket: options.encoding == .opus ? VoicePackets.framesPerPacket : nil),
        isMuted: options.isMuted))
    Task { await run(client) }
  }

  // MARK: Sound

  /// Adds samples of one instant, interleaved, in -1...1. Does not wait. A reference that is nil is
  /// silent. If `pull` is not called for two seconds, the oldest output is dropped.
  public func push(
    microphone: UnsafeBufferPointer<Float>, reference: UnsafeBufferPointer<Float>? = nil
  ) {
    let sender = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.isClosed else { return nil }
      let first = state.output.pushed
      state.output.push(microphone)
      guard state.link != nil else { return nil }
      state.pending.add(microphone, reference, at: first)
      return state.pending.isReady ? state.sender.take() : nil
    }
    sender?.resume()
  }

  /// Fills `output` with processed samples, interleaved, and returns their number for each channel: as
  /// many as were pushed and not pulled yet, but not more than there is room for. Does not wait.
  public func pull(into output: UnsafeMutableBufferPointer<Float>) -> Int {
    state.withLock { $0.output.take(into: output, isMuted: $0.isMuted) }
  }

  /// Returns the next event, or nil if there is none. The newest 256 events are kept.
  public func nextEvent() -> LiveVoiceEvent? { state.withLock { $0.events.next() } }

  /// Whether the sound that was pulled last was processed.
  public var isProcessing: Bool { state.withLock { $0.output.isProcessed } }

  /// Whether the voice is muted, by `setMuted` or by another client.
  public var isMuted: Bool { state.withLock { $0.isMuted } }

  // MARK: Control

  /// Mutes or unmutes the voice. The output is silent at once, also while there is no server.
  public func setMuted(_ muted: Bool) {
    change { state in
      state.isMuted = muted
      return .with { $0.setMute.muted = muted }
    }
  }

  /// Accepts or rejects a mute gesture that an event asked about.
  public func decideGesture(_ id: String, accept: Bool) {
    change { _ in
      .with {
        $0.decideMuteGesture.gestureID = id
        $0.decideMuteGesture.accept = accept
      }
    }
  }

  /// Answers the request of a client to inject speech.
  public func decideInjection(by client: String, grant: Bool) {
    change { _ in
      .with {
        $0.decideInjectionPermission.client = client
        $0.decideInjectionPermission.grant = grant
      }
    }
  }

  /// Changes the state, and sends the control that `body` returns if there is a session.
  private func change(_ body: (inout State) -> Anechoic_V1_Control) {
    let sender = state.withLock { state -> CheckedContinuation<Void, Never>? in
      let control = body(&state)
      guard state.link != nil else { return nil }
      state.controls.add(control)
      return state.sender.take()
    }
    sender?.resume()
  }

  /// Ends the session. Sound that was pushed can still be pulled.
  public func close() {
    let (stream, sender) = state.withLock { state in
      state.isClosed = true
      return (state.link?.stream, state.sender.take())
    }
    sender?.resume()
    guard let stream else { return }
    stream.finish()
    Task {
      try? await Task.sleep(for: .seconds(1))
      stream.cancel()
    }
  }
}
