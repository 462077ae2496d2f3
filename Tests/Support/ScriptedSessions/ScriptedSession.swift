internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

/// A session of a scripted server.
final class ScriptedSession: ServerCallHandler {
  private let call: ServerCall
  private let sessions: ScriptedSessions
  private var isFloat = false
  private var isMuted = false
  private var generation: UInt64 = 1
  private var eventID: UInt64 = 0
  private var position: Int64 = 0
  private var waiting: [[UInt8]] = []
  private var end: Status?

  init(_ call: ServerCall, _ sessions: ScriptedSessions) {
    (self.call, self.sessions) = (call, sessions)
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    guard let request = try? Anechoic_V1_ProcessRequest(serializedBytes: Data(message)) else {
      return call.finish(Status(.internal, "a message was expected"))
    }
    switch request.request {
    case .start(let start): begin(start)
    case .control(let control): answer(control)
    case .audio(let audio):
      sendLetters()
      process(audio.microphone)
    default: break
    }
    call.read()
  }

  private func begin(_ start: Anechoic_V1_Start) {
    let answer = sessions.script { script in
      script.started.append((start, .now))
      return script.answerToStart()
    }
    switch answer {
    case .ignore: return
    case .refuse(let status): return call.finish(status)
    case .accept: break
    }
    guard start.resumeToken.isEmpty else {
      return call.finish(.explained(.notFound, "RESUME_TOKEN_UNKNOWN"))
    }
    isMuted = start.muted
    isFloat = start.inputs.microphone.encoding == .pcmF32Le
    send { response in
      response.started.session = "sessions/\(start.sessionID)"
      response.started.config = start.config
      response.started.mute.muted = isMuted
      response.started.mute.generation = generation
      response.started.inputs = start.inputs
      response.started.outputs = start.outputs
      response.started.resumeToken = Data([1])
      response.started.resumeWindow.seconds = 10
    }
  }

  private func answer(_ control: Anechoic_V1_Control) {
    let answer = sessions.script { script in
      script.controlled.append(control)
      return script.answerToControl()
    }
    var result = Anechoic_V1_ControlResult()
    (result.controlID, result.appliedAtSample) = (control.controlID, position)
    switch answer {
    case .ignore: return
    case .refuse(let status):
      result.refusal.code = Int32(status.code.rawValue)
      result.refusal.reason = status.message
    case .accept:
      if case .setMute(let change) = control.control { mute(change.muted) }
    }
    send { $0.controlResult = result }
  }

  private func mute(_ muted: Bool) {
    guard muted != isMuted else { return }
    (isMuted, generation) = (muted, generation + 1)
    send(.with { $0.muteChanged.state.muted = muted })
  }

  private func sendLetters() {
    let letters = sessions.script { script in
      defer { script.outbox = [] }
      return script.outbox
    }
    for letter in letters {
      switch letter {
      case .end(let status): finish(status)
      case .echoPath(let path): send { $0.echoPath = path }
      case .event(let event):
        if case .muteChanged(let change) = event.event {
          mute(change.state.muted)
        } else {
          send(event)
        }
      }
    }
  }

  private func send(_ event: Anechoic_V1_SessionEvent) {
    eventID += 1
    var event = event
    (event.eventID, event.microphoneSample) = (eventID, position)
    if case .muteChanged = event.event { event.muteChanged.state.generation = generation }
    send { $0.event = event }
  }

  private func process(_ chunk: Anechoic_V1_AudioChunk) {
    if chunk.hasFirstSample { position = chunk.firstSample }
    let samples = [UInt8](chunk.samples)
    let size = isFloat ? 4 : 2
    guard !samples.isEmpty else { return }
    send { response in
      response.audio.processed.firstSample = position
      response.audio.processed.samples =
        isMuted ? Data(count: samples.count) : negated(chunk.samples)
    }
    position += Int64(samples.count / size)
  }

  private func negated(_ bytes: Data) -> Data {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { raw in
      if isFloat {
        for (index, value) in raw.bindMemory(to: Float.self).enumerated() {
          raw.storeBytes(of: -value, toByteOffset: index * 4, as: Float.self)
        }
      } else {
        for (index, value) in raw.bindMemory(to: Int16.self).enumerated() {
          raw.storeBytes(of: 0 &- value, toByteOffset: index * 2, as: Int16.self)
        }
      }
    }
    return bytes
  }

  // MARK: Writing

  private func send(_ fill: (inout Anechoic_V1_ProcessResponse) -> Void) {
    guard end == nil,
      let bytes: [UInt8] = try? Anechoic_V1_ProcessResponse.with(fill).serializedBytes()
    else { return }
    waiting.append(bytes)
    write()
  }

  private func finish(_ status: Status) {
    end = end ?? status
    write()
  }

  private func write() {
    guard !call.isWriting else { return }
    guard !waiting.isEmpty else {
      if let end { call.finish(end) }
      return
    }
    waiting.removeFirst().withUnsafeBytes { try? call.write($0) }
  }

  func writeCompleted() { write() }

  func halfClosed() { finish(Status(.ok)) }

  func cancelled() {}

  func ended() {}
}
