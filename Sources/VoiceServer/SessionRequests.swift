internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import VoiceSessions

/// What a media client asks of its session, done.
struct SessionRequests {
  /// In bytes: controls may wait for their sample, hundreds of them.
  private static let largestControl = 16 << 10

  let session: VoiceSession
  let setup: SessionSetup

  /// Takes in all but the processing of audio. Returns whether there is audio to be processed.
  func take(_ message: UnsafeRawBufferPointer, sink: any SessionSink) throws(Status) -> Bool {
    if let audio = AudioRequest(message) {
      try take(audio, sink: sink)
      return true
    }
    return try take(
      Anechoic_V1_ProcessRequest.decoded(message), size: message.count, sink: sink)
  }

  private func take(
    _ request: Anechoic_V1_ProcessRequest, size: Int, sink: any SessionSink
  ) throws(Status) -> Bool {
    switch request.request {
    case .audio(let audio):
      try audio.withRequest { audio throws(Status) in try take(audio, sink: sink) }
      return true
    case .control(let control): take(control, size: size, sink: sink)
    case .playbackReport(let report): try take(report)
    case .start: throw Status(InvalidField("start", "the session has started already"))
    case .deviceReport(let report): try take(report, sink: sink)
    case nil: throw Status(InvalidField("request", "is empty"))
    }
    return false
  }

  /// Runs per frame: allocates, locks, logs and awaits nothing.
  private func take(_ audio: AudioRequest, sink: any SessionSink) throws(Status) {
    var isEmpty = true
    if let chunk = audio.reference {
      guard setup.reference != nil else { throw Status(.unannounced("reference")) }
      try append(chunk, to: .reference, sink: sink)
      isEmpty = false
    }
    if let chunk = audio.farEnd {
      guard setup.farEnd != nil else { throw Status(.unannounced("far_end")) }
      try append(chunk, to: .farEnd, sink: sink)
      isEmpty = false
    }
    if let chunk = audio.otherAudio {
      guard setup.otherAudio != nil else { throw Status(.unannounced("other_audio")) }
      try append(chunk, to: .otherAudio, sink: sink)
      isEmpty = false
    }
    if let chunk = audio.microphone {
      try append(chunk, to: .microphone, sink: sink)
      isEmpty = false
    }
    guard !isEmpty else { throw Status(InvalidField("audio", "has no input")) }
  }

  private func append(
    _ chunk: AudioRequest.Chunk, to input: InputKind, sink: any SessionSink
  ) throws(Status) {
    do throws(InputFault) {
      try session.append(
        chunk.samples, to: input, firstSample: chunk.firstSample, deviceTime: chunk.deviceTime,
        gap: GapReason(chunk.gapBefore), sink: sink)
    } catch {
      throw Status(error, input)
    }
  }

  private func take(_ control: Anechoic_V1_Control, size: Int, sink: any SessionSink) {
    do throws(Refusal) {
      guard size <= Self.largestControl else {
        throw Refusal(
          .invalid, reason: "TOO_LARGE",
          message: "control: takes \(Self.largestControl) bytes at most")
      }
      session.submit(try SessionControl(control, by: setup.owner), sink: sink)
    } catch {
      sink.emit(
        ControlResult(
          id: control.controlID, appliedAtSample: session.position, refusal: error))
    }
  }

  private func take(
    _ report: Anechoic_V1_DeviceReport, sink: any SessionSink
  ) throws(Status) {
    do throws(InvalidField) {
      session.submit(try DeviceReport(report, path: "device_report"), sink: sink)
    } catch {
      throw Status(error)
    }
  }

  private func take(_ report: Anechoic_V1_PlaybackReport) throws(Status) {
    guard setup.playback != nil else {
      throw Status(InvalidField("playback_report", "start.outputs has no playback"))
    }
    do throws(InputFault) {
      try session.playbackWasHeard(
        firstSample: report.firstSample, at: .nanoseconds(report.deviceTimeNs),
        silence: report.silenceSamples, skipped: report.skippedSamples, rate: report.ratePpm)
    } catch {
      throw Status(InvalidField("playback_report.\(error.field)", error.description))
    }
  }
}
