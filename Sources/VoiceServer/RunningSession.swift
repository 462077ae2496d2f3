internal import AnechoicAPI
internal import AudioCore
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceEngines
internal import VoiceSessions
internal import WebRTCEngine

/// A session with its place on this server: takes requests, sends responses, and says when the
/// client may go on.
final class RunningSession: SessionSink {
  /// Whether the next request is read.
  enum Readiness: Equatable {
    case now
    /// In real time: not before so much time has passed.
    case later(Duration)
    /// When the client has read more of what it was sent.
    case afterWrites
    /// When `goOn` has processed what one request left: other sessions of the thread come first.
    case afterTurn
  }

  /// In bytes: controls may wait for their sample, hundreds of them.
  private static let largestControl = 16 << 10
  /// Frames that are processed in one go: a gap may be a thousand long.
  private static let framesPerTurn = 100

  /// Chunks that wait for a slow client: in real time the oldest above this are lost, under the
  /// media clock nothing more is read.
  private static let longestBacklog = 100
  /// How long more than that may wait in real time.
  private static let longestDelay = Duration.milliseconds(500)

  private let id: String
  private let setup: SessionSetup
  private let isRealTime: Bool
  private let session: VoiceSession
  private let output: ResponseStream
  private let directory: SessionDirectory
  private var pacer = RealTimePacer()
  private var frameTimes = FrameTimes()
  private var chunksDropped: UInt64 = 0
  private var behindSince: ContinuousClock.Instant?

  /// Enters the session into the directory and sends `started`.
  init(
    id: String, _ setup: SessionSetup, isRealTime: Bool, output: ResponseStream,
    directory: SessionDirectory
  ) throws {
    try directory.add(id)
    do {
      session = try VoiceSession(setup, engine: WebRTCVoiceEngine.self)
    } catch {
      directory.remove(id)
      throw error
    }
    self.id = id
    self.setup = setup
    self.isRealTime = isRealTime
    self.output = output
    self.directory = directory
    output.send(
      .with {
        $0.started = Anechoic_V1_Started(
          sessionID: id, setup, algorithmicDelay: session.algorithmicDelay,
          engine: WebRTCVoiceEngine.identity.description)
      })
  }

  /// Takes a request in and processes what has become complete by it.
  func take(_ message: UnsafeRawBufferPointer) throws(Status) {
    if let audio = AudioRequest(message) {
      try take(audio)
    } else {
      try take(Anechoic_V1_ProcessRequest.decoded(message), size: message.count)
    }
  }

  /// Processes what is left and says that the session has ended.
  func finish() { session.finish(.clientClosed, sink: self) }

  /// Leaves the directory; once.
  func close() { directory.remove(id) }

  func readiness() -> Readiness {
    if session.hasCompleteFrame { return .afterTurn }
    // Events and answers are never lost, so who causes them has to read them.
    guard output.waiting - output.waitingAudio <= Self.longestBacklog else { return .afterWrites }
    guard isRealTime else {
      return output.waiting > Self.longestBacklog ? .afterWrites : .now
    }
    let media = setup.microphone.rate.duration(ofSamples: Int(session.position))
    return pacer.delay(media: media, now: .now).map { .later($0) } ?? .now
  }

  private func take(_ request: Anechoic_V1_ProcessRequest, size: Int) throws(Status) {
    switch request.request {
    case .audio(let audio):
      try audio.withRequest { audio throws(Status) in try take(audio) }
    case .control(let control):
      do throws(Refusal) {
        guard size <= Self.largestControl else {
          throw Refusal(
            .invalid, reason: "TOO_LARGE",
            message: "control: takes \(Self.largestControl) bytes at most")
        }
        session.submit(try SessionControl(control), sink: self)
      } catch {
        emit(
          ControlResult(
            id: control.controlID, appliedAtSample: session.position, refusal: error))
      }
    case .start:
      throw Status(InvalidField("start", "the session has started already"))
    case .playbackReport:
      throw Status(InvalidField("playback_report", "start.outputs has no playback"))
    case .deviceReport: throw Status(.unsupported("device_report"))
    case nil: throw Status(InvalidField("request", "is empty"))
    }
  }

  /// Runs per frame: allocates, locks, logs and awaits nothing.
  private func take(_ audio: AudioRequest) throws(Status) {
    guard audio.microphone != nil || audio.reference != nil else {
      throw Status(InvalidField("audio", "has neither microphone nor reference"))
    }
    if let chunk = audio.reference {
      guard setup.reference != nil else { throw Status(.unannounced("reference")) }
      try append(chunk, to: .reference)
    }
    if let chunk = audio.microphone { try append(chunk, to: .microphone) }
    goOn()
  }

  /// Processes what is complete. Runs per frame: allocates, locks, logs and awaits nothing.
  func goOn() {
    let began = ContinuousClock.now
    let position = session.position
    session.process(atMost: Self.framesPerTurn, sink: self)
    let frames = (session.position - position) / Int64(setup.microphone.rate.samplesPerFrame)
    let (seconds, attoseconds) = (ContinuousClock.now - began).components
    frameTimes.note(
      nanoseconds: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000),
      frames: UInt32(frames))
  }

  private func append(_ chunk: AudioRequest.Chunk, to input: InputKind) throws(Status) {
    do throws(InputFault) {
      try session.append(
        chunk.samples, to: input, firstSample: chunk.firstSample,
        gap: GapReason(chunk.gapBefore), sink: self)
    } catch {
      throw Status(error, input)
    }
  }

  // MARK: SessionSink

  func emit(_ chunk: ProcessedChunk) {
    output.send(chunk)
    guard isRealTime, output.waitingAudio > Self.longestBacklog else {
      behindSince = nil
      return
    }
    // A gap that is filled comes all at once: the client has a while to read it.
    let now = ContinuousClock.now
    let since = behindSince ?? now
    behindSince = since
    guard now - since > Self.longestDelay else { return }
    while output.waitingAudio > Self.longestBacklog {
      output.dropOldestAudio()
      chunksDropped += 1
    }
  }

  func emit(_ event: SessionEvent) {
    output.send(.with { $0.event = Anechoic_V1_SessionEvent(event, time: .init(date: .now)) })
  }

  func emit(_ result: ControlResult) {
    output.send(.with { $0.controlResult = Anechoic_V1_ControlResult(result) })
  }

  func emit(_ statistics: SessionStatistics) {
    output.send(
      .with {
        $0.stats = Anechoic_V1_SessionStats(
          statistics, outputChunksDropped: chunksDropped, median: frameTimes.percentile(0.5),
          slowest: frameTimes.percentile(0.99))
      })
  }
}
