internal import AnechoicAPI
internal import AudioCore
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The flow of a session's audio through time: when the next request is read, how late and how early the
/// microphone is, how far the reader of the output is behind, and how long frames take.
struct MediaFlow {
  /// The changes of the microphone's pace, to report to the session. Nil where nothing changed.
  struct PaceChange {
    var isLate: Bool?
    var isEarly: Bool?
  }

  private let setup: SessionSetup
  /// The last output, for a client that resumes. Nil if the session cannot be resumed.
  let history: OutputHistory?
  /// The time of the last audio. Nil before the first.
  private(set) var lastAudio: ContinuousClock.Instant?
  private var pacer = RealTimePacer()
  private var lead = InputLead()
  private var jitter = ArrivalJitter()
  private var lag = InputLag()
  private var microphoneStop = MicrophoneStop()
  private var backlog = OutputBacklog()
  private var frameTimes = FrameTimes()
  /// The number of output samples that were lost with a connection.
  private var samplesLost: UInt64 = 0
  private(set) var chunksDropped: UInt64 = 0
  private var framesDropped: UInt64 = 0
  /// The number of dropped frames that no event has reported yet.
  private var unreportedFrames = 0

  init(_ setup: SessionSetup, isResumable: Bool) {
    self.setup = setup
    history = isResumable ? OutputHistory(setup) : nil
  }

  /// Forgets the arrivals, because the session continues on another connection.
  mutating func restart() {
    lead.restart()
    lag.restart()
    jitter.restart()
    microphoneStop = MicrophoneStop()
    backlog = OutputBacklog()
  }

  // MARK: Input

  /// Records that the microphone has arrived up to a sample, with this many new samples.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func arrived(
    upTo arrived: Int64, samples: Int64, at now: ContinuousClock.Instant
  ) -> PaceChange {
    microphoneStop.microphoneArrived(at: now)
    let media = setup.microphone.rate.duration(ofSamples: Int(arrived))
    jitter.record(media: media, now: now)
    return PaceChange(
      isLate: lag.record(media: media.nanoseconds, samples: samples, now: now),
      isEarly: lead.record(allowance: pacer.allowance, now: now))
  }

  /// Records audio without any of the microphone. Returns whether the microphone has just stopped alone.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func microphoneLacks(at now: ContinuousClock.Instant) -> Bool {
    microphoneStop.othersArrived(at: now)
  }

  /// Returns the time to wait before the next request of a client in real time is read, or nil to read
  /// it at once. The session has processed the microphone up to `position`.
  mutating func delay(position: Int64, now: ContinuousClock.Instant) -> Duration? {
    let media = setup.microphone.rate.duration(ofSamples: Int(position)).nanoseconds
    return pacer.delay(media: media, now: now)
  }

  /// The time by which the session is behind its client. Nil before the first audio.
  /// Runs per frame: no allocation, lock, log or await. Mutating: Swift would copy the structure for a
  /// call that is not.
  mutating func lateness(at now: ContinuousClock.Instant) -> Duration? { lag.overdueEver(at: now) }

  /// The time by which the frames that were processed by now are late. A microphone that has kept pace
  /// for a second is on time. Nil before the first audio. Runs per frame: no allocation, lock, log or
  /// await. Mutating: Swift would copy the structure for a call that is not.
  mutating func frameLateness(at now: ContinuousClock.Instant) -> Duration? { lag.overdue(at: now) }

  /// Records that the processing of audio begins.
  mutating func began(at now: ContinuousClock.Instant) { lastAudio = now }

  /// Records the time that frames took together. Runs per frame: no allocation, lock, log or await.
  mutating func processed(frames: Int64, nanoseconds: Int64) {
    frameTimes.record(nanoseconds: UInt64(nanoseconds), frames: UInt32(frames))
  }

  /// The time within which 99 of 100 frames were processed.
  var slowFrame: Duration { frameTimes.percentile(0.99) }

  // MARK: Output

  /// Returns the number of frames that may continue to wait after a chunk was added, or nil if all may.
  mutating func limit(
    afterAdding waiting: Int, isHalfFull: Bool, now: ContinuousClock.Instant
  ) -> Int? {
    let limit = backlog.limit(afterAdding: waiting, now: now)
    // A gap that is filled comes at once, and must not make the queue overflow.
    return isHalfFull ? OutputBacklog.most : limit
  }

  /// Returns the number of frames that may continue to wait after the reader took a chunk, or nil if
  /// all may.
  mutating func limit(afterTaking waiting: Int, now: ContinuousClock.Instant) -> Int? {
    backlog.limit(afterTaking: waiting, now: now)
  }

  /// Records that a chunk of the output was dropped.
  mutating func droppedChunk() {
    chunksDropped += 1
    framesDropped += UInt64(setup.framesPerChunk)
    unreportedFrames += setup.framesPerChunk
  }

  /// Records that output samples were lost with a connection.
  mutating func lost(_ samples: Int64) { samplesLost += UInt64(samples) }

  var hasUnreportedLoss: Bool { unreportedFrames > 0 }

  /// Returns the number of dropped samples that no event has reported yet, and forgets them.
  mutating func popUnreportedSamples() -> Int64 {
    defer { unreportedFrames = 0 }
    return Int64(unreportedFrames * setup.processed.rate.samplesPerFrame)
  }

  // MARK: Statistics

  /// Returns the message about statistics, with the part that the session does not know.
  func message(
    _ statistics: SessionStatistics, waiting frames: Int, now: ContinuousClock.Instant
  ) -> Anechoic_V1_SessionStats {
    var message = Anechoic_V1_SessionStats(
      statistics, median: frameTimes.percentile(0.5), slowest: slowFrame, jitter: jitter.value)
    message.flow.outputChunksDropped = chunksDropped
    message.flow.outputSamplesDropped =
      framesDropped * UInt64(setup.processed.rate.samplesPerFrame)
    message.flow.microphoneSamplesLate = lag.lateSamples
    message.flow.outputSamplesLost = samplesLost
    message.timing.outputBacklog = Google_Protobuf_Duration(.milliseconds(10) * frames)
    if let lag = lag.value(at: now) { message.timing.inputLag = Google_Protobuf_Duration(lag) }
    return message
  }
}
