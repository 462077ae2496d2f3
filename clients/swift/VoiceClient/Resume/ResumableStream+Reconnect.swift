internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization

/// The way back to a session whose connection was lost.
extension ResumableStream {
  func reconnect(_ reconnection: Reconnection, _ reason: Status) async throws -> Update? {
    var reconnection = reconnection
    var reason = reason
    while true {
      var resumes = false
      do {
        let step = reconnection.next(now: .now, random: .random(in: -1...1))
        state.withLock { [attempts = reconnection.attempts] in $0.connection.attempts = attempts }
        switch step {
        case .resume(let delay):
          resumes = true
          try await Task.sleep(for: delay)
          return try await resume()
        case .restart(let server, let delay):
          if state.withLock({ isComplete($0) }) {
            stop()
            return nil
          }
          guard state.withLock({ !$0.isFinished || !isRealTime }) else { throw GivenUpError() }
          try await Task.sleep(for: delay)
          return try await restart(on: server, reason)
        case .giveUp: throw GivenUpError()
        }
      } catch let status as Status {
        // A new session that is refused is tried again at the usual times.
        if resumes, status.isUnknownSession || status.isStoppingServer {
          reconnection.sessionIsGone()
          reason = status
        } else if let delay = status.retryDelay {
          reconnection.wait(for: delay)
        }
        guard status.isWorthAnotherAttempt else {
          stop()
          throw status
        }
      } catch is GivenUpError {
        stop()
        throw reason
      }
      guard case .lost = state.withLock({ $0.phase }) else { return nil }
    }
  }

  private struct GivenUpError: Error {}

  /// Whether all of a recording was processed, so that only the end of its session is missing.
  private func isComplete(_ state: State) -> Bool {
    state.isFinished && !isRealTime && state.journal.keptSamples == 0
  }

  private func resume() async throws -> Update? {
    let (request, server, first, sent) = state.withLock { state in
      var request = start
      let first = state.journal.oldestSample
      request.sessionID = state.started.sessionID
      request.resumeToken = state.started.resumeToken
      request.resumePoint.lastEventID = state.lastEventID
      request.resumePoint.processedSamples = state.processedSamples
      request.resumePoint.microphoneSample = max(0, first - state.timeline.base)
      let sent = state.journal.sentSample - state.timeline.base
      return (request, state.connection.server, first, sent)
    }
    let stream = try await connect(servers[server], request)
    try stream.checkResumption(sent: sent, asked: request.resumePoint.microphoneSample)
    let resumed = stream.started.resumed
    let isWanted = state.withLock { state in
      guard case .lost = state.phase else { return false }
      state.phase = .connected(stream)
      state.connection.connectedAt = .now
      state.started = stream.started
      state.isMuted = stream.started.mute.muted
      state.processedSamples = max(state.processedSamples, resumed.processedSample)
      // A gap that was too long is shorter in the session than for the caller.
      if resumed.microphoneSample < first - state.timeline.base {
        // Output and events from before the gap keep their place.
        state.timeline.move(
          to: first - resumed.microphoneSample,
          from: resumed.microphoneSample - resumed.concealedSamples)
      }
      state.journal.rewind(to: state.timeline.base + resumed.microphoneSample)
      return true
    }
    return go(on: stream, isWanted, .resumed(resumed))
  }

  /// Starts a new session. In real time it begins with the audio that comes now: audio that waited for the
  /// old one would keep the new one late for ever.
  private func restart(on server: Int, _ reason: Status) async throws -> Update? {
    var request = start
    // Audio that is sent again may have been captured while muted, before the session was unmuted.
    let (id, unmutesAt) = state.withLock { state -> (String, Int64?) in
      let sendsMuted =
        !isRealTime && !state.isMuted && state.journal.oldestSample < state.mutedUntil
      let wantedMute = state.journal.wantedMute(at: state.journal.position)
      let isMuted = isRealTime ? wantedMute ?? state.isMuted : state.isMuted
      request.muted = isMuted || sendsMuted
      request.config = state.configuration.configuration
      state.voiceprint.apply(to: &request)
      return (state.started.sessionID, sendsMuted ? state.mutedUntil : nil)
    }
    let stream = try await connect(servers[server], request, id: id)
    let samples: (first: Int64, lost: Int64)? = state.withLock { state in
      guard case .lost = state.phase else { return nil }
      let oldest = state.journal.oldestSample
      let first = isRealTime ? state.journal.position : oldest
      state.phase = .connected(stream)
      state.connection.connectedAt = .now
      state.started = stream.started
      state.connection.server = server
      state.processedSamples = 0
      state.lastEventID = 0
      state.timeline.move(to: first)
      state.journal.restart(at: first, unmutingAt: unmutesAt)
      return (first, first - oldest)
    }
    return go(
      on: stream, samples != nil,
      .restarted(
        stream.started, atSample: samples?.first ?? 0, lostSamples: samples?.lost ?? 0,
        reason: reason))
  }

  /// Starts a session with the id that the old one had, or with another one if that is in use.
  private func connect(
    _ server: VoiceProcessingClient, _ start: Anechoic_V1_Start, id: String
  ) async throws -> ProcessStream {
    var start = start
    start.sessionID = id
    do { return try await connect(server, start) } catch let status as Status {
      guard status.reason == "SESSION_EXISTS" else { throw status }
      start.sessionID = ""
      return try await connect(server, start)
    }
  }

  private func go(on stream: ProcessStream, _ isWanted: Bool, _ update: Update) -> Update? {
    guard isWanted else {
      stream.cancel()
      return nil
    }
    startSending(on: stream)
    wakeEverybody()
    return update
  }

  /// Starts a call on a connection of its own, because a channel that has failed waits before it
  /// connects again.
  private func connect(
    _ server: VoiceProcessingClient, _ start: Anechoic_V1_Start
  ) async throws -> ProcessStream {
    try await answer(of: "server", within: policy.attemptTimeout) {
      try await server.reconnected().process(start)
    }
  }
}

extension Status {
  /// Whether the server does not have the session that was to be resumed.
  package var isUnknownSession: Bool {
    reason == "RESUME_TOKEN_UNKNOWN" || reason == "TOO_MANY_RESUMES"
  }

  /// Whether the server is about to stop or has stopped, and its sessions end.
  package var isStoppingServer: Bool { reason == "DRAINING" || reason == "SERVER_SHUTDOWN" }

  /// Whether another device plays the playback now.
  package var isTakenOver: Bool { reason == "TAKEN_OVER" }

  /// Whether the server refused a change because there were too many.
  package var isTooManyControls: Bool { reason == "TOO_MANY_CONTROLS" }

  /// Whether another attempt, later or elsewhere, may succeed.
  package var isWorthAnotherAttempt: Bool {
    switch code {
    case .invalidArgument, .unimplemented, .unauthenticated, .permissionDenied: false
    default: !isCertificateRefusal
    }
  }
}
