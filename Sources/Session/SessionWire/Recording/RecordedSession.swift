package import AnechoicAPI
internal import SwiftProtobuf
package import VoiceEngines
package import VoiceSessions

/// A session and its recorder. Whatever is done to the session goes through this type, so that a
/// recording contains it. Use it on the session's thread.
package final class RecordedSession {
  private let session: VoiceSession
  private let requests: SessionRequests
  private let profiles: ProfileLookups
  /// Nil if the session is not recorded.
  private var recorder: SessionRecorder?
  /// The frames that were processed since the end began.
  private var lastFrames = 0

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - hasProfile: Returns whether the session's client has a listener profile.
  /// - Throws: The errors of `VoiceSession`.
  package init(
    _ setup: SessionSetup, engine: any VoiceEngine.Type, hasProfile: @escaping (String) -> Bool
  ) throws {
    session = try VoiceSession(setup, engine: engine)
    let profiles = ProfileLookups(hasProfile)
    self.profiles = profiles
    requests = SessionRequests(session: session, setup: setup) { profiles.has($0) }
  }

  /// Starts to record. Call it before anything is done to the session.
  package func record(
    to queue: RecordingQueue, start: Anechoic_V1_Start, of id: String, engine: EngineIdentity
  ) {
    recorder = SessionRecorder(queue, requests.setup, start: start, of: id, engine: engine)
  }

  // MARK: Acts

  /// Applies a serialized `ProcessRequest`, except for the processing of its audio.
  ///
  /// - Returns: Whether there is audio to process.
  package func accept(
    _ request: UnsafeRawBufferPointer, sink: any SessionSink
  ) throws(RequestError) -> Bool {
    let before = session.microphoneArrived
    let hasAudio = try requests.accept(request, sink: sink)
    if let recorder {
      if let lookup = profiles.last.take() { recorder.record(lookup) }
      recorder.record(request: request, arrived: (before, session.microphoneArrived))
      if !hasAudio { recorder.advance(to: session.position) }
    }
    return hasAudio
  }

  /// Processes the complete frames of a request, `SessionRequests.framesPerTurn` of them at most.
  /// Runs per frame: no allocation, lock, log or await, except for the recorder of a recorded session.
  package func process(sink: any SessionSink) {
    session.process(atMost: SessionRequests.framesPerTurn, sink: sink)
    recorder?.advance(to: session.position)
  }

  /// Records an act, and applies it.
  @discardableResult
  package func apply(_ act: SessionAct, sink: any SessionSink) -> SessionAct.Answer {
    recorder?.record(act)
    let answer = session.apply(
      act, framesPerTurn: SessionRequests.framesPerTurn, sink: sink)
    recorder?.advance(to: session.position)
    return answer
  }

  /// Processes some of the remaining audio, and ends the session after the last of it. Until this
  /// returns true, only this method and `close` may be called.
  ///
  /// - Returns: Whether the session has ended.
  package func takeLastTurn(_ reason: SessionEvent.EndReason, sink: any SessionSink) -> Bool {
    let isOver = session.finish(reason, atMost: SessionRequests.framesPerTurn, sink: sink)
    if isOver {
      recorder?.record(.end(reason, .all))
    } else {
      lastFrames += SessionRequests.framesPerTurn
    }
    recorder?.advance(to: session.position)
    return isOver
  }

  /// Ends the session without processing more.
  package func end(_ reason: SessionEvent.EndReason, sink: any SessionSink) {
    recorder?.record(.end(reason, .frames(lastFrames)))
    session.end(reason, sink: sink)
  }

  /// Completes the recording.
  package func close() {
    recorder?.finish(at: session.position)
    recorder = nil
  }

  // MARK: Results

  /// Adds output of the session to the digests of the recording.
  package func record(_ chunk: OutputChunk) { recorder?.add(chunk) }

  /// Follows the mute state, because a recording contains no audio of a muted microphone.
  package func record(_ event: SessionEvent) { recorder?.follow(event) }

  package var state: SessionState { session.state }
  package var position: Int64 { session.position }
  package var microphoneArrived: Int64 { session.microphoneArrived }
  package var expectedMicrophoneIndex: Int64 { session.expectedMicrophoneIndex }
  package var processedSamples: Int64 { session.processedSamples }
  package var hasCompleteFrame: Bool { session.hasCompleteFrame }
  package var usesEchoPathHint: Bool { session.usesEchoPathHint }
  package var usesVoiceprint: Bool { session.usesVoiceprint }
  package var learntVoiceprint: Voiceprint? { session.learntVoiceprint }
  package var flow: SessionStatistics.Flow { session.flow }
  package var statistics: SessionStatistics { session.statistics }
  package var delays: OutputDelays { session.delays }

  /// Whether the server allows injection.
  package var allowsInjection: Bool { session.allowsInjection }

  /// Whether the engine runs in its reduced mode.
  package var isReduced: Bool { session.isReduced }

  /// The duration of an injection that waits to be heard, or nil where the injection has ended.
  package func injectionBacklog(_ id: String) -> Duration? { session.injectionBacklog(id) }
}

/// Records the lookups of listener profiles that the requests of a session cause.
private final class ProfileLookups {
  /// The last question. A replay needs its answer.
  var last: Anechoic_V1_RecordedAct.ProfileLookup?
  private let find: (String) -> Bool

  init(_ find: @escaping (String) -> Bool) { self.find = find }

  func has(_ name: String) -> Bool {
    let isFound = find(name)
    last = .with {
      $0.listenerProfile = name
      $0.found = isFound
    }
    return isFound
  }
}
