internal import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
internal import VoiceClient
internal import VoiceEngines
internal import VoiceSessions

/// The path of the voice through the agent, on one thread. For each frame of the microphone, it
/// sends the frame and the related audio to the server or to the local voice, and passes the
/// results to the programs and the loudspeaker.
///
/// This thread never waits for anything slow. Other threads use the mailbox.
final class EdgeVoice {
  /// The time in ms between looks for a call: while programs play, and otherwise. A FIFO that opens or
  /// fills wakes the voice at once.
  private static let (listeningInterval, restingInterval) = (50, 200)
  /// The maximum number of frames that wait in the ring of a device. Older frames are dropped.
  private static let longestBacklog = 20
  /// The time in ns without an answer after which the server is given up.
  private static let patience = Int64(ReconnectionPolicy().silence / .nanoseconds(1))
  /// The time in ns without an answer after which the local voice stands in for the server.
  private static let shortPatience: Int64 = 500_000_000
  /// The age in ns of the server's output at which it replaces the local voice again.
  private static let fresh: Int64 = 200_000_000

  let configuration: EdgeConfiguration
  let rings: EdgeRings
  let programs: EdgePrograms
  let board: StatusBoard
  let mailbox: Mailbox<EdgeVoice>
  let log: @Sendable (String) -> Void
  /// Sets the gain of other programs in dB; nil restores them. Returns at once.
  let lower: @Sendable (_ gain: Float?) -> Void
  let voiceFrame: Frame
  let mixFrame: Frame
  private let microphoneFrame: Frame
  private let referenceFrame: Frame
  private let farFrame: Frame
  private let otherFrame: Frame
  private var timeline: CaptureTimeline
  private var referenceTimeline: CaptureTimeline
  private var lastTick: Int64 = 0
  var local: LocalVoice?
  var isLocalRunning = false
  var link: ServerSession?
  /// Whether the local voice is heard, although there is a session, because the server does not answer.
  var standsIn = false
  /// Whether the local voice is heard.
  var usesLocal: Bool { link == nil || standsIn }
  /// The configuration of the session, with which a new one begins. Nil before the first session.
  var kept: KeptConfiguration?
  /// The session that may be continued. Nil while connected, and if there is none.
  var lost: LostSession?
  var lastEventID: UInt64 = 0
  /// The position of the microphone from which on the server's output is used.
  var liveFrom: Int64 = 0
  /// The position up to which the server's output was used.
  var heardUntil: Int64 = 0
  var mute: EdgeMute
  var muteRequests = MuteRequests()
  var captureWaits = CaptureWaits()
  var muteGeneration: UInt64 = 0  // The last known generation of the session's state.
  var route: Anechoic_V1_AudioRoute?
  var hasLoopback = false
  /// Whether another program uses the microphone.
  var isBusy = false
  var position: Int64 = 0  // The position of the microphone in the session's timeline.
  var referencePosition: Int64 = 0
  var reports: PlaybackReports
  var latency = LatencyMeter()
  var lastAnswer: Int64 = 0
  var controlID: UInt64 = 0
  var status = EdgeStatus()
  var test: TestCapture?
  /// The number of tests that need the microphone.
  var testCount = 0
  /// The strength of the echo suppression that the port in use sets. Nil for the session's.
  var echoStrength: Anechoic_V1_VoiceProcessing.Level?
  /// Whether the session detects a muted talker.
  var detectsMutedTalker = true
  var gapBefore = Anechoic_V1_GapReason.unspecified
  var steps = 0
  /// The session of another device that this agent plays. Nil for none.
  var playback: JoinedPlayback?
  /// Whether other audio waits, because its media is paused for a call.
  var holdsOtherAudio = false
  var sounds = ProgramSounds()
  var calls: EdgeCalls

  init(
    _ configuration: EdgeConfiguration, rings: EdgeRings, programs: EdgePrograms,
    board: StatusBoard, mailbox: Mailbox<EdgeVoice>,
    lower: @escaping @Sendable (_ gain: Float?) -> Void, log: @escaping @Sendable (String) -> Void
  ) {
    self.lower = lower
    self.configuration = configuration
    self.rings = rings
    self.programs = programs
    self.board = board
    self.mailbox = mailbox
    self.log = log
    let (rate, audio) = (configuration.audio.rate, configuration.audio)
    voiceFrame = Frame(rate: rate, channelCount: audio.inputChannels)
    mixFrame = Frame(rate: rate, channelCount: audio.outputChannels)
    microphoneFrame = Frame(rate: rate, channelCount: audio.inputChannels)
    referenceFrame = Frame(rate: rate, channelCount: audio.outputChannels)
    farFrame = Frame(rate: rate, channelCount: configuration.programs.farEndChannels)
    otherFrame = Frame(rate: rate, channelCount: configuration.programs.otherAudioChannels)
    let now = MonotonicClock.nanoseconds
    timeline = CaptureTimeline(now: now)
    referenceTimeline = CaptureTimeline(now: now)
    mute = EdgeMute(session: configuration.mute.startsMuted)
    calls = EdgeCalls(configuration)
    reports = PlaybackReports(samplesPerSecond: rate.hertz)
    follow(configuration.session.configuration)
    lowerOthersAtRest(nil)
  }

  /// Creates the local voice on the current thread, to which it then belongs.
  func prepare(engine: any VoiceEngine.Type) throws {
    local = try LocalVoice(configuration, engine: engine, receiver: self)
    local?.cancelEcho(as: tuned(configuration.session.configuration))
    // A press of the mute key counts between calls, too.
    local?.begin(muted: mute.session)
  }

  func run(_ thread: LoopThread) {
    while !thread.isStopped {
      let hasAudio = programs.farEnd?.hasAudio == true || programs.otherAudio?.hasAudio == true
      let rest = hasAudio ? Self.listeningInterval : Self.restingInterval
      mailbox.wait(milliseconds: calls.flows || configuration.session.join != nil ? 10 : rest)
      mailbox.read(by: self)
      guard configuration.session.join == nil else {
        idle()
        continue
      }
      updateCall()
      updateMicrophone()
      guard calls.flows else { continue }
      takeCaptured()
      let missed = timeline.catchUp(now: MonotonicClock.nanoseconds)
      position += Int64(missed * microphoneFrame.sampleCount)
      status.concealedFrames += missed
      while timeline.givesUp(
        now: MonotonicClock.nanoseconds, hasDevice: rings.captureHealth().isRunning)
      {
        status.concealedFrames += 1
        step(capturedAt: nil, missing: 0)
      }
      captureWaits.expire(now: MonotonicClock.nanoseconds)
      checkServer()
    }
    captureWaits.endAll()
    link?.outbox.close()
  }

  private func takeCaptured() {
    if rings.capture.count > Self.longestBacklog {
      status.droppedFrames += rings.capture.drop(downTo: 1)
      gapBefore = .dropped
    }
    while let note = rings.capture.read(into: microphoneFrame) {
      switch timeline.arrived(at: note.time) {
      case .tooLate: status.droppedFrames += 1
      case .next(let missing):
        let samples = missing * Int64(microphoneFrame.rate.hertz) / 1_000_000_000
        step(capturedAt: note.time, missing: samples)
      }
    }
  }

  /// Processes 10 ms, with a microphone frame or without one if none came in time.
  private func step(capturedAt time: Int64?, missing: Int64) {
    steps += 1
    position += missing
    if missing > 0 || time == nil {
      if gapBefore == .unspecified { gapBefore = lostReason }
      if missing > 0 { status.concealedFrames += Int(missing) / microphoneFrame.sampleCount }
    }
    let waits = waitsForLoudspeaker
    let hasFar = !waits && programs.farEnd?.next(into: farFrame) ?? false
    let hasOther =
      !waits && !holdsOtherAudio && programs.otherAudio?.next(into: otherFrame) ?? false
    sounds.record(
      farEndPeak: hasFar ? farFrame.peak : nil, otherAudioPeak: hasOther ? otherFrame.peak : nil,
      now: .now)
    test?.append(microphoneFrame, at: time)
    let isWithheld = mute.isMuted && configuration.mute.audio != .sent || test?.isRunning == true
    runsLocal(usesLocal || isWithheld)
    var audio = Anechoic_V1_AudioInput()
    takeReference(into: &audio)
    if isLocalRunning, let local {
      if usesLocal {
        if hasFar { local.append(farFrame, to: .farEnd, time: nil) }
        if hasOther { local.append(otherFrame, to: .otherAudio, time: nil) }
      }
      if time == nil { microphoneFrame.clear() }
      local.process(microphoneFrame, time: time)
    }
    if let link {
      if hasFar { audio.farEnd = VoiceFrames.chunk(farFrame) }
      if hasOther { audio.otherAudio = VoiceFrames.chunk(otherFrame) }
      audio.microphone = microphoneChunk(time: isWithheld ? nil : time, isWithheld: isWithheld)
      let now = MonotonicClock.nanoseconds
      if let time {
        latency.recordSent(position / Int64(microphoneFrame.sampleCount), captured: time, now: now)
      }
      if link.outbox.put(.audio(audio)) { gapBefore = .dropped }
    }
    position += Int64(microphoneFrame.sampleCount)
    if let time { captureWaits.sent(capturedAt: time) }
    if steps.isMultiple(of: 10) {
      microphoneIsBusy(rings.captureHealth().isBusy)
      updateSounds()
      publish()
    }
  }

  /// Tells automatic switching what the programs play.
  func updateSounds() {
    guard configuration.switching.isOn else { return }
    status.sounds = sounds.summary(voiceIsRead: programs.voice?.isRead ?? false, now: .now)
  }

  private var lostReason: Anechoic_V1_GapReason {
    // The device may take a moment to close.
    if status.microphone?.isOpen == false { return .muted }
    let health = rings.captureHealth()
    return health.isRunning ? .xrun : health.isClosed ? .muted : .deviceLost
  }

  /// The reason for withholding the microphone. A test withholds it too.
  private var withheldReason: Anechoic_V1_GapReason { mute.isMuted ? .muted : .unspecified }

  /// Returns a chunk of the microphone. An empty chunk tells the server how far time has advanced
  /// without samples.
  private func microphoneChunk(time: Int64?, isWithheld: Bool) -> Anechoic_V1_AudioChunk {
    guard let time else {
      return Anechoic_V1_AudioChunk.with {
        $0.firstSample = position + Int64(microphoneFrame.sampleCount)
        $0.gapBefore = isWithheld ? withheldReason : lostReason
      }
    }
    var chunk = VoiceFrames.chunk(microphoneFrame, time: time)
    chunk.firstSample = position
    chunk.gapBefore = gapBefore
    gapBefore = .unspecified
    return chunk
  }

  /// Adds the samples that the loudspeaker has played since the last frame, if they are the
  /// reference.
  private func takeReference(into audio: inout Anechoic_V1_AudioInput) {
    let sendsReference = link?.started.inputs.hasReference == true
    while let note = rings.played.read(into: referenceFrame) {
      if isLocalRunning, !hasLoopback {
        local?.append(referenceFrame, to: .reference, time: note.heardAt)
      }
      guard let link else { continue }
      if sendsReference {
        if !hasLoopback { appendReference(at: note.heardAt, into: &audio) }
      } else if note.epoch == link.epoch, let report = reports.report(note) {
        link.outbox.put(.report(report))
      }
    }
    guard hasLoopback else { return }
    while let note = rings.loopback.read(into: referenceFrame) {
      if isLocalRunning { local?.append(referenceFrame, to: .reference, time: note.time) }
      if link != nil, sendsReference { appendReference(at: note.time, into: &audio) }
    }
  }

  private func appendReference(at time: Int64, into audio: inout Anechoic_V1_AudioInput) {
    guard case .next(let missing) = referenceTimeline.arrived(at: time) else { return }
    referencePosition += missing * Int64(referenceFrame.rate.hertz) / 1_000_000_000
    let chunk = VoiceFrames.chunk(referenceFrame, time: time)
    if audio.hasReference, missing == 0 {
      audio.reference.samples += chunk.samples
    } else {
      // Only one gap is reported for each 10 ms.
      audio.reference = chunk
      audio.reference.firstSample = referencePosition
    }
    referencePosition += Int64(referenceFrame.sampleCount)
  }

  /// Restarts the timelines, because a session begins with an empty timeline.
  func restartTimelines() {
    position = 0
    referencePosition = 0
    lost = nil
    referenceTimeline = CaptureTimeline(now: MonotonicClock.nanoseconds - 20_000_000)
    reports = PlaybackReports(samplesPerSecond: microphoneFrame.rate.hertz)
    gapBefore = .unspecified
  }

  /// Begins with what the devices deliver from now on, because they were closed until now.
  func restartCapture() {
    timeline = CaptureTimeline(now: MonotonicClock.nanoseconds)
    rings.capture.drop(downTo: 0)
    rings.played.drop(downTo: 0)
    gapBefore = .unspecified
  }

  /// Stops the local voice, which begins anew with the next frame.
  func stopLocal() {
    isLocalRunning = false
    status.voiceActive = false
    status.mutedSpeechActive = false
  }

  private func runsLocal(_ runs: Bool) {
    guard runs != isLocalRunning else { return }
    isLocalRunning = runs
    if runs { local?.begin(muted: mute.session) }
  }

  private func checkServer() {
    guard let link else { return }
    sendMuteRequest()
    let silence = MonotonicClock.nanoseconds - lastAnswer
    if silence > Self.patience {
      link.abandon()
      disconnected(epoch: link.epoch)
    } else if silence > Self.shortPatience, !standsIn {
      standsIn = true
      log("server: has not answered for 0.5 s; the local voice stands in")
    }
  }

  /// Lets the server's output replace the local voice once it is not late any more. `sample` is the first of
  /// the output that came.
  func endStandIn(at sample: Int64) {
    guard standsIn else { return }
    let rate = Int64(microphoneFrame.rate.hertz)
    guard position - sample < Self.fresh / 1_000_000 * rate / 1000 else { return }
    standsIn = false
    liveFrom = position
    log("server: answers again")
  }
}
