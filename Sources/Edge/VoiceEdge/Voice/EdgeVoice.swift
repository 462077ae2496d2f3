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
  /// The time in ms between looks for a call: while programs play, and otherwise. A FIFO that opens
  /// or fills wakes the voice at once.
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
  let parts: EdgeParts
  let log: @Sendable (String) -> Void
  let buffers: VoiceBuffers
  var timing: VoiceTiming
  var local: LocalVoice?
  var server: ServerSide
  var mute: EdgeMute
  var muting = MuteTraffic()
  var devices = DevicesInUse()
  var chirp = ChirpRequests()
  /// The session of another device that this agent plays. Nil for none.
  var playback: JoinedPlayback?
  var sounds = ProgramSounds()
  var calls: EdgeCalls
  var status = EdgeStatus()

  init(
    _ configuration: EdgeConfiguration, _ parts: EdgeParts,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.configuration = configuration
    self.parts = parts
    self.log = log
    buffers = VoiceBuffers(configuration)
    timing = VoiceTiming(rate: configuration.audio.rate)
    server = ServerSide(configuration)
    status.voice = server.voice.status
    mute = EdgeMute(session: configuration.mute.startsMuted)
    calls = EdgeCalls(configuration)
    follow(configuration.session.configuration)
    lowerOthersAtRest(nil)
  }

  /// Creates the local voice on the current thread, to which it then belongs.
  func prepare(engine: any VoiceEngine.Type) throws {
    local = try LocalVoice(configuration, parts.slots, engine: engine, receiver: self)
    local?.cancelEcho(as: tuned(configuration.session.configuration))
    // A press of the mute key counts between calls, too.
    local?.begin(muted: mute.session)
  }

  func run(_ thread: LoopThread) {
    while !thread.isStopped {
      let hasAudio =
        parts.programs.farEnd?.hasAudio == true || parts.programs.otherAudio?.hasAudio == true
        || parts.programs.namedFarEnds.contains(where: \.hasAudio)
      let rest = hasAudio ? Self.listeningInterval : Self.restingInterval
      parts.mailbox.wait(milliseconds: calls.flows || configuration.session.join != nil ? 10 : rest)
      parts.mailbox.read(by: self)
      guard configuration.session.join == nil else {
        idle()
        continue
      }
      updateCall()
      updateMicrophone()
      // Also between calls, in which nothing is sent.
      muting.waits.expire(now: MonotonicClock.nanoseconds)
      guard calls.flows else { continue }
      readCaptured()
      let missed = timing.timeline.catchUp(now: MonotonicClock.nanoseconds)
      timing.position += Int64(missed * buffers.microphone.sampleCount)
      status.concealedFrames += missed
      while timing.timeline.givesUp(
        now: MonotonicClock.nanoseconds, hasDevice: parts.rings.captureHealth().isRunning)
      {
        status.concealedFrames += 1
        step(capturedAt: nil, missing: 0)
      }
      checkServer()
    }
    muting.waits.endAll()
    server.link?.outbox.close()
  }

  private func readCaptured() {
    if parts.rings.capture.count > Self.longestBacklog {
      status.droppedFrames += parts.rings.capture.drop(downTo: 1)
      timing.gapBefore = .dropped
    }
    while let note = parts.rings.capture.read(into: buffers.microphone) {
      switch timing.timeline.arrived(at: note.time) {
      case .tooLate: status.droppedFrames += 1
      case .next(let missing):
        let samples = missing * Int64(buffers.microphone.rate.hertz) / 1_000_000_000
        step(capturedAt: note.time, missing: samples)
      }
    }
  }

  /// Processes 10 ms, with a microphone frame or without one if none came in time.
  private func step(capturedAt time: Int64?, missing: Int64) {
    timing.steps += 1
    timing.position += missing
    if missing > 0 || time == nil {
      if timing.gapBefore == .unspecified { timing.gapBefore = lostReason }
      if missing > 0 { status.concealedFrames += Int(missing) / buffers.microphone.sampleCount }
    }
    let waits = waitsForLoudspeaker
    let hasFar = !waits && parts.programs.farEnd?.next(into: buffers.farEnd) ?? false
    let hasOther =
      !waits && !calls.holdsOtherAudio
      && parts.programs.otherAudio?.next(into: buffers.otherAudio) ?? false
    var audio = Anechoic_V1_AudioInput()
    let namedPeak = waits ? 0 : readNamedFarEnds(into: &audio)
    sounds.record(
      farEndPeak: max(hasFar ? buffers.farEnd.peak : 0, namedPeak),
      otherAudioPeak: hasOther ? buffers.otherAudio.peak : nil,
      now: .now)
    chirp.capture?.append(buffers.microphone, at: time)
    let isWithheld =
      mute.isMuted && configuration.mute.audio != .sent || chirp.isRunning
    runsLocal(server.usesLocal || isWithheld)
    giveNamedFarEnds(audio)
    readReference(into: &audio)
    if let local, local.isRunning {
      if server.usesLocal {
        if hasFar { local.append(buffers.farEnd, to: .farEnd, time: nil) }
        if hasOther { local.append(buffers.otherAudio, to: .otherAudio, time: nil) }
      }
      if time == nil { buffers.microphone.clear() }
      local.process(buffers.microphone, time: time)
    }
    if let link = server.link {
      if hasFar { audio.farEnd = VoiceFrames.chunk(buffers.farEnd) }
      if hasOther { audio.otherAudio = VoiceFrames.chunk(buffers.otherAudio) }
      audio.microphone = microphoneChunk(time: isWithheld ? nil : time, isWithheld: isWithheld)
      let now = MonotonicClock.nanoseconds
      if let time {
        timing.latency.recordSent(
          timing.position / Int64(buffers.microphone.sampleCount), captured: time, now: now)
      }
      if link.outbox.put(.audio(audio)) { timing.gapBefore = .dropped }
    }
    timing.position += Int64(buffers.microphone.sampleCount)
    if let time { muting.waits.sent(capturedAt: time) }
    if timing.steps.isMultiple(of: 5) { followPlaces() }
    if timing.steps.isMultiple(of: 10) {
      interrupt(.deviceBusy, parts.rings.captureHealth().isBusy)
      updateSounds()
      publish()
    }
  }

  /// Tells automatic switching what the programs play.
  func updateSounds() {
    guard configuration.switching.isOn else { return }
    status.sounds = sounds.summary(voiceIsRead: parts.programs.voice?.isRead ?? false, now: .now)
  }

  private var lostReason: Anechoic_V1_GapReason {
    // The device may take a moment to close.
    if status.microphone?.isOpen == false { return .muted }
    let health = parts.rings.captureHealth()
    return health.isRunning ? .xrun : health.isClosed ? .muted : .deviceLost
  }

  /// The reason for withholding the microphone. A test withholds it too.
  private var withheldReason: Anechoic_V1_GapReason { mute.isMuted ? .muted : .unspecified }

  /// Returns a chunk of the microphone. An empty chunk tells the server how far time has advanced
  /// without samples.
  private func microphoneChunk(time: Int64?, isWithheld: Bool) -> Anechoic_V1_AudioChunk {
    guard let time else {
      return Anechoic_V1_AudioChunk.with {
        $0.firstSample = timing.position + Int64(buffers.microphone.sampleCount)
        $0.gapBefore = isWithheld ? withheldReason : lostReason
      }
    }
    var chunk = VoiceFrames.chunk(buffers.microphone, time: time)
    chunk.firstSample = timing.position
    chunk.gapBefore = timing.gapBefore
    timing.gapBefore = .unspecified
    return chunk
  }

  /// Adds the samples that the loudspeaker has played since the last frame, if they are the
  /// reference.
  func readReference(into audio: inout Anechoic_V1_AudioInput) {
    let sendsReference = server.link?.started.inputs.hasReference == true
    while let note = parts.rings.played.read(into: buffers.reference) {
      if let local, local.isRunning, devices.hears == nil {
        local.append(buffers.reference, to: .reference, time: note.heardAt)
      }
      guard let link = server.link else { continue }
      if sendsReference {
        if devices.hears == nil { appendReference(at: note.heardAt, into: &audio) }
      } else if note.epoch == link.epoch, let report = timing.reports.report(note) {
        link.outbox.put(.report(report))
      }
    }
    read(parts.rings.loopback, if: .loopback, sendsReference, into: &audio)
    read(parts.rings.referenceChannels, if: .referenceChannels, sendsReference, into: &audio)
  }

  /// Adds the frames of a ring if the port in use fills it. Drops them otherwise, because they are
  /// older than the port.
  private func read(
    _ ring: FrameRing<CaptureNote>, if way: HeardLoudspeaker, _ sendsReference: Bool,
    into audio: inout Anechoic_V1_AudioInput
  ) {
    guard devices.hears == way else {
      ring.drop(downTo: 0)
      return
    }
    while let note = ring.read(into: buffers.reference) {
      if let local, local.isRunning {
        local.append(buffers.reference, to: .reference, time: note.time)
      }
      if server.link != nil, sendsReference { appendReference(at: note.time, into: &audio) }
    }
  }

  private func appendReference(at time: Int64, into audio: inout Anechoic_V1_AudioInput) {
    guard case .next(let missing) = timing.referenceTimeline.arrived(at: time) else { return }
    timing.referencePosition += missing * Int64(buffers.reference.rate.hertz) / 1_000_000_000
    let chunk = VoiceFrames.chunk(buffers.reference, time: time)
    if audio.hasReference, missing == 0 {
      audio.reference.samples += chunk.samples
    } else {
      // Only one gap is reported for each 10 ms.
      audio.reference = chunk
      audio.reference.firstSample = timing.referencePosition
    }
    timing.referencePosition += Int64(buffers.reference.sampleCount)
  }

  /// Restarts the timelines, because a session begins with an empty timeline.
  func restartTimelines() {
    timing.position = 0
    timing.referencePosition = 0
    server.lost = nil
    timing.referenceTimeline = CaptureTimeline(now: MonotonicClock.nanoseconds - 20_000_000)
    timing.reports = PlaybackReports(samplesPerSecond: buffers.microphone.rate.hertz)
    timing.gapBefore = .unspecified
  }

  /// Begins with what the devices deliver from now on, because they were closed until now.
  func restartCapture() {
    timing.timeline = CaptureTimeline(now: MonotonicClock.nanoseconds)
    parts.rings.capture.drop(downTo: 0)
    parts.rings.played.drop(downTo: 0)
    timing.gapBefore = .unspecified
  }

  /// Stops the local voice, which begins anew with the next frame.
  func stopLocal() {
    local?.isRunning = false
    status.voiceActive = false
    status.mutedSpeechActive = false
  }

  private func runsLocal(_ runs: Bool) {
    guard let local, runs != local.isRunning else { return }
    local.isRunning = runs
    if runs { local.begin(muted: mute.session) }
  }

  private func checkServer() {
    guard let link = server.link else { return }
    sendMuteRequest()
    let silence = MonotonicClock.nanoseconds - server.lastAnswer
    if silence > Self.patience {
      link.abandon()
      disconnected(epoch: link.epoch)
    } else if silence > Self.shortPatience, !server.standsIn {
      server.standsIn = true
      log("server: has not answered for 0.5 s; the local voice stands in")
    }
  }

  /// Lets the server's output replace the local voice once it is not late any more. `sample` is the
  /// first of the output that came.
  func endStandIn(at sample: Int64) {
    guard server.standsIn else { return }
    let rate = Int64(buffers.microphone.rate.hertz)
    guard timing.position - sample < Self.fresh / 1_000_000 * rate / 1000 else { return }
    server.standsIn = false
    server.liveFrom = timing.position
    log("server: answers again")
  }
}
