public import AnechoicAPI
internal import AudioCore
internal import SpatialAudio
public import VoiceSessions

/// Applies the requests of a media client to its session.
public struct SessionRequests {
  /// The maximum number of frames that one turn processes. A gap can be a thousand frames long.
  public static let framesPerTurn = 10

  /// The maximum size of a control in bytes. Many controls may wait for their sample.
  private static let largestControl = 16 << 10

  public let session: VoiceSession
  public let setup: SessionSetup
  /// Returns whether the session's client has a listener profile.
  private let hasProfile: (String) -> Bool

  public init(
    session: VoiceSession, setup: SessionSetup, hasProfile: @escaping (String) -> Bool
  ) {
    self.session = session
    self.setup = setup
    self.hasProfile = hasProfile
  }

  /// Applies a serialized `ProcessRequest`, except for the processing of its audio.
  ///
  /// - Returns: Whether there is audio to process.
  public func accept(_ message: UnsafeRawBufferPointer, sink: any SessionSink) throws(RequestError)
    -> Bool
  {
    if let audio = AudioRequest(message) {
      try accept(audio, sink: sink)
      return true
    }
    if message.count > Self.largestControl, let id = ControlHead(message)?.controlID {
      refuse(
        id,
        Refusal(
          .invalid, reason: "TOO_LARGE",
          message: "control: must have at most \(Self.largestControl) bytes"), sink: sink)
      return false
    }
    return try accept(Anechoic_V1_ProcessRequest.decoded(message), sink: sink)
  }

  private func accept(
    _ request: Anechoic_V1_ProcessRequest, sink: any SessionSink
  ) throws(RequestError) -> Bool {
    switch request.request {
    case .audio(let audio):
      try audio.withRequest { audio throws(RequestError) in try accept(audio, sink: sink) }
      return true
    case .control(let control): accept(control, sink: sink)
    case .playbackReport(let report): try accept(report)
    case .start: throw .invalid(InvalidFieldError("start", "the session has already started"))
    case .deviceReport(let report): try accept(report, sink: sink)
    case .headPose(let pose): try accept(pose)
    case nil:
      throw .invalid(
        InvalidFieldError(
          "request", "is empty; it must contain audio, a control, a report or a pose"))
    }
    return false
  }

  /// Applies audio. Runs per frame: no allocation, lock, log or await.
  private func accept(_ audio: AudioRequest, sink: any SessionSink) throws(RequestError) {
    var isEmpty = true
    if let chunk = audio.reference {
      guard setup.reference != nil else { throw .invalid(.unannounced("reference")) }
      try append(chunk, to: .reference, sink: sink)
      isEmpty = false
    }
    if let chunk = audio.farEnd {
      guard setup.farEnd != nil else { throw .invalid(.unannounced("far_end")) }
      try append(chunk, to: .farEnd, sink: sink)
      isEmpty = false
    }
    if let chunk = audio.otherAudio {
      guard setup.otherAudio != nil else { throw .invalid(.unannounced("other_audio")) }
      try append(chunk, to: .otherAudio, sink: sink)
      isEmpty = false
    }
    for index in 0..<audio.farEndCount {
      try append(audio.farEnds[index], index, sink: sink)
      isEmpty = false
    }
    if let chunk = audio.microphone {
      try append(chunk, to: .microphone, sink: sink)
      isEmpty = false
    }
    guard !isEmpty else { throw .invalid(InvalidFieldError("audio", "must contain an input")) }
  }

  private func append(
    _ chunk: AudioRequest.Chunk, to input: InputKind, sink: any SessionSink
  ) throws(RequestError) {
    do throws(InputError) {
      try session.append(
        chunk.samples, to: input, firstSample: chunk.firstSample, deviceTime: chunk.deviceTime,
        gap: GapReason(chunk.gapBefore), sink: sink)
    } catch {
      throw .invalid(InvalidFieldError("audio.\(input.rawValue).\(error.field)", error.description))
    }
  }

  private func append(
    _ farEnd: AudioRequest.FarEnd, _ place: Int, sink: any SessionSink
  ) throws(RequestError) {
    let known = setup.farEnds.firstIndex { $0.id.utf8.elementsEqual(farEnd.id) }
    guard let known else {
      throw .invalid(.unannounced("far_ends[\(place)].far_end_id"))
    }
    do throws(InputError) {
      try session.append(
        farEnd.chunk.samples, toFarEnd: known, firstSample: farEnd.chunk.firstSample,
        gap: GapReason(farEnd.chunk.gapBefore), sink: sink)
    } catch {
      throw .invalid(
        InvalidFieldError("audio.far_ends[\(place)].audio.\(error.field)", error.description))
    }
  }

  private func accept(_ pose: Anechoic_V1_HeadPose) throws(RequestError) {
    do throws(InvalidFieldError) {
      session.turnHead(
        to: try HeadPose(pose, path: "head_pose"),
        at: pose.hasDeviceTimeNs ? .nanoseconds(pose.deviceTimeNs) : nil)
    } catch {
      throw .invalid(error)
    }
  }

  private func accept(_ control: Anechoic_V1_Control, sink: any SessionSink) {
    do throws(Refusal) {
      if case .updateConfig(let update) = control.control, let name = update.namedProfile,
        !hasProfile(name)
      {
        throw .noProfile(
          name, path: "control.update_config.config.spatial_audio.listener_profile")
      }
      session.submit(try SessionControl(control, by: setup.owner), sink: sink)
    } catch {
      refuse(control.controlID, error, sink: sink)
    }
  }

  private func refuse(_ controlID: UInt64, _ refusal: Refusal, sink: any SessionSink) {
    sink.emit(ControlResult(id: controlID, appliedAtSample: session.position, refusal: refusal))
  }

  private func accept(
    _ report: Anechoic_V1_DeviceReport, sink: any SessionSink
  ) throws(RequestError) {
    do throws(InvalidFieldError) {
      session.submit(try DeviceReport(report, path: "device_report"), sink: sink)
    } catch {
      throw .invalid(error)
    }
  }

  private func accept(_ report: Anechoic_V1_PlaybackReport) throws(RequestError) {
    guard setup.playback != nil else {
      throw .invalid(InvalidFieldError("playback_report", "requires start.outputs.playback"))
    }
    do throws(InputError) {
      try session.playbackWasHeard(
        firstSample: report.firstSample, at: .nanoseconds(report.deviceTimeNs),
        silence: report.silenceSamples, skipped: report.skippedSamples, rate: report.ratePpm)
    } catch {
      throw .invalid(InvalidFieldError("playback_report.\(error.field)", error.description))
    }
  }
}

/// The reason why a request cannot be applied.
public enum RequestError: Error {
  /// The bytes are not a message of the named type.
  case malformed(String)
  case invalid(InvalidFieldError)
}

extension InvalidFieldError {
  fileprivate static func unannounced(_ input: String) -> InvalidFieldError {
    InvalidFieldError("audio.\(input)", "must be announced in start.inputs")
  }
}
