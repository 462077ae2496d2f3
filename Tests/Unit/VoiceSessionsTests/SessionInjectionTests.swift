import Testing

@testable import VoiceSessions

/// Speech that another client injects into a session.
struct SessionInjectionTests {
  @Test func injectedSpeechIsHeardInBothOutputs() throws {
    let run = try permitted()
    try begin(run, "1", 0.2, frames: 3)
    try run.send(frames: 10, of: 0.3)
    run.finish()
    let (playback, processed) = (run.playback.dropFirst(160), run.processed.dropFirst(480))
    #expect(playback.prefix(480).allSatisfy { $0 == 0.2 })
    // The step at its end fades out over 5 ms.
    #expect(Array(playback.dropFirst(480).prefix(80)).isFalling)
    #expect(playback.dropFirst(560).allSatisfy { $0 == 0 })
    // The speech is added to the microphone after its processing, without latency.
    #expect(run.processed[320..<416].allSatisfy { $0 == 0.2 })
    #expect(run.processed[416..<640].allSatisfy { abs($0 - 0.5) < 1e-6 })
    #expect(processed.dropFirst(240).allSatisfy { $0 == 0.3 })
    #expect(
      progress(run) == [
        .injection(id: "1", .started, played: .milliseconds(10)),
        .injection(id: "1", .finished, played: .milliseconds(30)),
      ])
  }

  @Test func muteSilencesSpeechOnlyInTheProcessedOutput() throws {
    let run = try permitted()
    run.mute(true)
    try run.send(frames: 5, of: 0)
    try begin(run, "1", 0.2, frames: 20)
    try run.send(frames: 30, of: 0.3)
    run.finish()
    #expect(run.playback.filter { $0 == 0.2 }.count == 20 * 160)
    #expect(run.processed.allSatisfy { $0 == 0 })
  }

  @Test func twoInjectorsAreHeardOneAfterTheOther() throws {
    let run = try permitted()
    try run.permitInjection(by: "other")
    try begin(run, "1", 0.2, frames: 2)
    try begin(run, "2", 0.4, frames: 2, by: "other")
    try run.send(frames: 7, of: 0)
    #expect(run.playback[160..<480].allSatisfy { $0 == 0.2 })
    // Each of them fades out, because it does not end with silence.
    #expect(Array(run.playback[480..<560]).isFalling)
    #expect(run.playback[640..<960].allSatisfy { $0 == 0.4 })
    #expect(Array(run.playback[960..<1040]).isFalling)
    #expect(run.playback[1040...].allSatisfy { $0 == 0 })
  }

  @Test func speechCancelledWhileHeardFadesOut() throws {
    let run = try permitted()
    try begin(run, "1", 0.2, frames: 20)
    try run.send(frames: 2, of: 0)
    run.session.cancelInjection("1", sink: run.sink)
    try run.send(frames: 5, of: 0)
    for output in [run.playback, run.processed] {
      #expect(output[(160 + 320)..<(160 + 480)].allSatisfy { $0 < 0.2 })
      #expect(output[(160 + 480)...].allSatisfy { $0 == 0 })
      #expect(zip(output[480...], output[481...]).allSatisfy { abs($0 - $1) < 0.002 })
    }
    #expect(run.session.injectionBacklog("1") == nil)
  }

  @Test func injectionNeedsPermissionModeAndARunningMicrophone() throws {
    let run = try ScriptedRun()
    #expect(refusal(run) == "INJECTION_NOT_PERMITTED")
    _ = try run.session.requestInjectionPermission(
      for: "bot", usageDescription: "speaks", sink: run.sink)
    run.control(.injectionPermission(client: "bot", grant: true))
    #expect(refusal(run) == "INJECTION_OFF")
    run.configure { $0.acceptsInjection = true }
    #expect(refusal(run) == "INJECTION_UNAVAILABLE")
    try run.send(frames: 1)
    #expect(run.sink.kinds.last == .injectionAvailabilityChanged(true))
    #expect(refusal(run) == nil)
    run.control(.injectionPermission(client: "bot", grant: false))
    #expect(refusal(run) == "INJECTION_NOT_PERMITTED")
    run.finish()
    #expect(
      run.sink.kinds.suffix(2) == [.injectionAvailabilityChanged(false), .ended(.clientClosed)])
  }

  @Test func speechForThePersonAloneNeedsADeviceThatPlaysIt() throws {
    let run = try ScriptedRun(ScriptedRun.setup { $0.playsElsewhere = true })
    try run.permitInjection(by: "bot")
    try run.send(frames: 1, of: 0)
    #expect(refusal(run, heard: .playbackAlone) == "NO_PLAYBACK")
    run.session.playbackClientChanged("speaker", hasJoined: true, sink: run.sink)
    #expect(refusal(run, heard: .playbackAlone) == nil)
    run.session.playbackClientChanged("speaker", hasJoined: false, sink: run.sink)
    #expect(refusal(run, heard: .playbackAlone) == "NO_PLAYBACK")
  }

  @Test func thePersonIsAskedOnce() throws {
    let run = try ScriptedRun()
    for _ in 0..<3 {
      let permission = try run.session.requestInjectionPermission(
        for: "bot", usageDescription: "speaks", sink: run.sink)
      #expect(permission == .undetermined)
    }
    run.control(.injectionPermission(client: "bot", grant: true))
    run.control(.injectionPermission(client: "bot", grant: true))
    #expect(
      run.sink.kinds == [
        .injectionPermissionRequested(client: "bot", usageDescription: "speaks"),
        .injectionPermissionChanged(client: "bot", .granted),
      ])
    #expect(run.session.state.injectionPermissions["bot"] == .granted)
  }

  @Test func theServersSwitchIsNeverAnEvent() throws {
    let run = try ScriptedRun(
      ScriptedRun.setup {
        $0.allowsInjection = false
        $0.configuration.acceptsInjection = true
      })
    try run.send(frames: 1)
    let permission = try run.session.requestInjectionPermission(
      for: "bot", usageDescription: "speaks", sink: run.sink)
    #expect(permission == .serviceDisabled)
    #expect(run.sink.kinds.isEmpty && !run.session.state.isInjectionAvailable)
  }

  @Test(arguments: [true, false])
  func takingBackThePermissionOrTheModeCancels(isPermission: Bool) throws {
    let run = try permitted()
    try begin(run, "1", 0.2, frames: 20)
    try begin(run, "2", 0.2, frames: 20)
    try run.send(frames: 2, of: 0)
    if isPermission {
      run.control(.injectionPermission(client: "bot", grant: false))
    } else {
      run.configure { $0.acceptsInjection = false }
    }
    try run.send(frames: 2, of: 0)
    #expect(
      progress(run) == [
        .injection(id: "1", .started, played: .milliseconds(10)),
        .injection(id: "1", .cancelled, played: .milliseconds(20)),
        .injection(id: "2", .cancelled, played: .zero),
      ])
  }

  /// Such a gap passes within milliseconds, and nobody hears what is said in it.
  @Test(arguments: [false, true])
  func speechWaitsForTheEndOfAGapThatComesAtOnce(resumes: Bool) throws {
    let run = try permitted()
    try begin(run, "1", 0.2, frames: 100)
    try run.session.beginInjection("silent", by: "bot")
    try run.send(frames: 10, of: 0)
    let sample: Int64 = 11 * 160 + 8 * 16_000
    if resumes {
      run.session.suspend(waitingFor: .seconds(10), sink: run.sink)
      run.session.resume(at: sample, allowsEnrollment: nil, sink: run.sink)
      run.session.process(sink: run.sink)
    }
    try run.send([Float](repeating: 0, count: 160), at: sample)
    // The first 10 ms of the gap fade it out.
    #expect(run.session.injectionBacklog("1") == .milliseconds(10 * (100 - 10 - 1 - 1)))
    let heard = run.playback[(11 * 160)...]
    #expect(heard.dropFirst(160).prefix(8 * 16_000 - 160).allSatisfy { $0 == 0 })
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 0.002 })
    try run.send(frames: 90, of: 0)
    #expect(
      progress(run) == [
        .injection(id: "1", .started, played: .milliseconds(10)),
        .injection(id: "1", .finished, played: .seconds(1)),
      ])
  }

  /// As for lost packets, and for a client that has no samples while it is muted.
  @Test func speechGoesOnInAGapThatPassesInRealTime() throws {
    let run = try permitted()
    try begin(run, "1", 0.2, frames: 200)
    try run.send([Float](repeating: 0, count: 160), at: 160 + 20 * 160)
    #expect(run.session.injectionBacklog("1") == .milliseconds(10 * (200 - 21)))
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    for frame in 23..<123 as Range<Int64> {
      try run.session.append(
        nothing, to: .microphone, firstSample: frame * 160, gap: .unspecified, sink: run.sink)
      run.session.process(sink: run.sink)
    }
    #expect(run.session.injectionBacklog("1") == .milliseconds(10 * (200 - 121)))
  }

  @Test func anAnswerWhileTheServerForbidsIsToldOnceItAllows() throws {
    let run = try permitted()
    run.session.allowInjection(false, sink: run.sink)
    for client in ["other", "bot"] {
      run.control(.injectionPermission(client: client, grant: client == "other"))
    }
    for isAllowed in [true, false, true] {
      run.session.allowInjection(isAllowed, sink: run.sink)
    }
    let told = run.kinds { if case .injectionPermissionChanged = $0 { true } else { false } }
    #expect(
      told == [
        .injectionPermissionChanged(client: "bot", .granted),
        .injectionPermissionChanged(client: "other", .serviceDisabled),
        .injectionPermissionChanged(client: "bot", .serviceDisabled),
        .injectionPermissionChanged(client: "bot", .denied),
        .injectionPermissionChanged(client: "other", .granted),
      ])
  }

  @Test(arguments: [true, false])
  func theEventsOfAControlWithinAFrameAreAtItsSample(isPermission: Bool) throws {
    let run = try permitted()
    run.configure { $0.mute.gesturePolicy = .ask }
    try begin(run, "1", 0.2, frames: 20)
    try run.send(frames: 2, of: 0)
    _ = try run.press("press")
    let before = run.sink.events.count
    if isPermission {
      run.control(.injectionPermission(client: "bot", grant: false), at: 3 * 160 + 77)
    } else {
      run.control(
        .edit {
          $0.mute.gesturePolicy = .ignore
          $0.acceptsInjection = false
        }, at: 3 * 160 + 77)
    }
    try run.send(frames: 1, of: 0)
    #expect(run.sink.events.count == before + (isPermission ? 2 : 4))
    #expect(run.sink.events.dropFirst(before).allSatisfy { $0.microphoneSample == 3 * 160 + 77 })
  }

  /// Returns a session that has processed one silent frame, and whose client may inject.
  private func permitted() throws -> ScriptedRun {
    let run = try ScriptedRun()
    try run.permitInjection(by: "bot")
    try run.send(frames: 1, of: 0)
    return run
  }

  private func begin(
    _ run: ScriptedRun, _ id: String, _ value: Float, frames: Int, by client: String = "bot"
  ) throws {
    try run.session.beginInjection(id, by: client)
    run.inject(value, frames: frames, into: id)
    run.session.completeInjection(id)
  }

  /// Returns the reason why an injection may not begin, or nil if it began.
  private func refusal(
    _ run: ScriptedRun, heard audience: InjectionAudience = .everywhere
  ) -> String? {
    do throws(Refusal) {
      try run.session.beginInjection("\(run.sink.events.count)", by: "bot", heard: audience)
      return nil
    } catch {
      return error.reason
    }
  }

  private func progress(_ run: ScriptedRun) -> [SessionEvent.Kind] {
    run.kinds { if case .injection = $0 { true } else { false } }
  }
}

extension [Float] {
  fileprivate var isFalling: Bool { zip(self, dropFirst()).allSatisfy { $0 > $1 } }
}
