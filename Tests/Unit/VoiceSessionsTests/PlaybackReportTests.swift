import AcousticSimulator
import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// A client that plays the session's mix, sends no reference, and reports when the mix was heard.
struct PlaybackReportTests {
  @Test(arguments: [0.02, 0.3, 0.8])
  func reportsPlaceThePlaybackAtOnce(lag: Double) async throws {
    let run = try await session(lag: lag, seconds: 6)
    try run.run { frame in try run.reportPlayback(at: frame) }
    let first = try #require(run.echoPaths.first)
    #expect(first.at < lag + 0.2 && abs(first.milliseconds - lag * 1000) < 6, "\(first)")
    #expect(run.reduction(1 + lag..<2 + lag) > 18, "\(run.reduction(1 + lag..<2 + lag))")
    #expect(run.reduction(3..<6) > 25, "\(run.reduction(3..<6))")
    #expect(run.voiceStarts.isEmpty, "\(run.voiceStarts)")
    let isPlayed = zip(decode(run.sink.playback), run.recording.reference).allSatisfy { $0 == $1 }
    #expect(isPlayed)
  }

  @Test func withoutReportsThePlaybackIsFoundByItsSound() async throws {
    let run = try await session(lag: 0.3, seconds: 8)
    run.captureTime = { _ in nil }
    try run.run()
    #expect(run.reduction(3..<8) > 25, "\(run.reduction(3..<8))")
    #expect(run.voiceStarts.isEmpty, "\(run.voiceStarts)")
  }

  /// The playback on another device, whose clock has another zero and another rate than the
  /// microphone's.
  @Test(arguments: [-300, 0, 300] as [Double])
  func aPlaybackElsewhereIsFoundByItsSound(drift: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.25) { $0.driftPPM = drift },
      farEnd: try await Voices.far(seconds: 12), from: .playback
    ) { $0.playsElsewhere = true }
    run.captureTime = { .seconds(5000 + $0) }
    try run.run { frame in
      guard frame > 0, frame.isMultiple(of: 50) else { return }
      try run.session.playbackWasHeard(firstSample: Int64(frame - 40) * 160, at: .zero)
    }
    for start in stride(from: 5.0, to: 11, by: 1) {
      #expect(
        run.reduction(start..<start + 1) > 25, "\(start): \(run.reduction(start..<start + 1))")
    }
    #expect(run.warnings(.unsteadyClocks).isEmpty)
  }

  /// Inserted silence of an underrun, or skipped samples, reported before they are heard. The
  /// report is exact to the sample, so the canceller has nothing to learn. Some cases change the
  /// rate 10 ms later.
  @Test(arguments: [0.2, 0.03, -0.1, -0.02], [0, 180] as [Double])
  func reportedInsertionsAndSkipsMoveThePlayback(
    jump: Double, rate: Double
  ) async throws {
    let silence = max(0, jump)
    let ahead = 0.06
    // The first frame whose report is about a later sample.
    let first = 909 + Int((silence * 100).rounded()) - 6
    let run = try await session(lag: 0.3, seconds: 15) {
      $0.driftPPM = 200
      $0.jumps = [(9.085, jump)]
      if silence > 0 { $0.silences = [9.085..<9.085 + silence] }
      $0.compensation = (at: Double(first + 1) / 100 + ahead, ppm: rate)
    }
    let samples = UInt32((abs(jump) * Double(run.rate.hertz)).rounded())
    try run.run { frame in
      guard !(903..<first).contains(frame) else { return }
      try run.reportPlayback(
        at: frame, ahead: ahead, isDue: frame == first || frame == first + 1,
        silence: frame == first && jump > 0 ? samples : 0,
        skipped: frame == first && jump < 0 ? samples : 0, rate: frame > first ? rate : 0)
    }
    let moved = try #require(run.echoPaths.first { $0.at > 9.02 })
    #expect(moved.at < 9.4 && abs(moved.milliseconds - 301 - jump * 1000) < 6, "\(moved)")
    for start in stride(from: 9.3 + silence, to: 14.4, by: 0.5) {
      let reduction = run.reduction(start..<start + 0.5)
      #expect(reduction > 25, "\(start): \(reduction)")
    }
    #expect(run.warnings(.unsteadyClocks).isEmpty)
  }

  /// An underrun of 20 ms every second, and 20 ms skipped half a second later. Both are reported.
  @Test func reportedStepsNeitherHideAVoiceNorCountAsOne() async throws {
    let ahead = 0.06
    let jumps = (0..<24).map { index in
      (at: 4.085 + 0.5 * Double(index), by: index.isMultiple(of: 2) ? 0.02 : -0.02)
    }
    let scene = EchoRun.scene(lag: 0.3) {
      $0.jumps = jumps
      $0.silences = jumps.filter { $0.by > 0 }.map { $0.at..<$0.at + 0.02 }
    }
    let run = try EchoRun(
      scene, farEnd: try await Voices.far(seconds: 16), near: try await Voices.near(after: 9),
      from: .playback)
    run.tellTimes()
    try run.run { frame in
      let (step, place) = ((frame - 400) / 50, (frame - 400) % 50)
      guard frame >= 400, step < jumps.count else {
        return try run.reportPlayback(at: frame, ahead: ahead)
      }
      let isSilence = step.isMultiple(of: 2)
      let first = isSilence ? 5 : 3
      guard !(3..<first).contains(place) else { return }
      try run.reportPlayback(
        at: frame, ahead: ahead, isDue: place == first,
        silence: place == first && isSilence ? 320 : 0,
        skipped: place == first && !isSilence ? 320 : 0)
    }
    let first = try #require(run.voiceStarts.first)
    #expect(first > 8.8 && first < 9.8, "\(run.voiceStarts)")
    // The near end talks for 5 s over the echo, and the reduction is below 3 dB for as long.
    withKnownIssue("the echo no longer counts as removed at 15.09 and 15.59 s") {
      let later = run.echoPaths.filter { $0.at > 5 && !$0.hasConverged }
      #expect(later.isEmpty, "\(later)")
    }
  }

  /// A device that drops samples, or that does not report the length of the inserted silence.
  @Test(arguments: [-0.15, 0.2])
  func unreportedStepsMoveThePlayback(jump: Double) async throws {
    let run = try await session(lag: 0.3, seconds: 12) { $0.jumps = [(6, jump)] }
    try run.run { frame in try run.reportPlayback(at: frame) }
    let moved = try #require(run.echoPaths.first { $0.at > 6 })
    #expect(moved.at < 7 && abs(moved.milliseconds - 301 - jump * 1000) < 6, "\(moved)")
    #expect(run.reduction(8..<12) > 25, "\(run.reduction(8..<12))")
    #expect(run.warnings(.unsteadyClocks).isEmpty)
  }

  @Test func aDriftIsMeasuredByReports() async throws {
    let run = try await session(lag: 0.2, seconds: 16) { $0.driftPPM = 150 }
    try run.run { frame in try run.reportPlayback(at: frame) }
    let drift = try #require(run.session.statistics.driftPPM)
    #expect(abs(drift + 150) < 20, "\(drift)")
    #expect(run.reduction(4..<16) > 25, "\(run.reduction(4..<16))")
  }

  @Test(arguments: [-1, .min, .max, 3201, 3200] as [Int64])
  func aReportOfUnsentSamplesIsRefused(sample: Int64) async throws {
    let run = try await session(lag: 0.3, seconds: 3)
    let undisturbed = try await session(lag: 0.3, seconds: 3)
    try undisturbed.run { frame in try undisturbed.reportPlayback(at: frame) }
    try run.run { frame in
      if frame == 20 {
        #expect(throws: InputError.self) {
          try run.session.playbackWasHeard(
            firstSample: sample, at: .seconds(1000), silence: .max)
        }
      }
      try run.reportPlayback(at: frame)
    }
    let isSame = run.sink.processed == undisturbed.sink.processed
    #expect(isSame)
    #expect(run.sink.events == undisturbed.sink.events)
  }

  @Test(arguments: [0, 1, 160] as [Int64])
  func beforeAnyAudioNothingWasHeard(sample: Int64) async throws {
    let run = try await session(lag: 0.3, seconds: 1)
    let fault = #expect(throws: InputError.self) {
      try run.session.playbackWasHeard(firstSample: sample, at: .zero, silence: 0)
    }
    #expect(fault?.field == "first_sample")
  }

  @Test func aReportOfSamplesInAnIncompleteChunkIsRefused() async throws {
    let run = try await session(lag: 0.3, seconds: 1) { _ in
    } setup: {
      $0.framesPerChunk = 12
    }
    try run.run { frame in
      guard frame == 30 else { return }
      // 24 of 30 frames have been sent.
      #expect(throws: InputError.self) {
        try run.session.playbackWasHeard(firstSample: 24 * 160, at: .zero, silence: 0)
      }
      try run.session.playbackWasHeard(firstSample: 24 * 160 - 1, at: .zero, silence: 0)
    }
  }

  @Test func reportsBesideAReferenceAreIgnored() async throws {
    func run(_ reports: Bool) async throws -> EchoRun {
      let run = try EchoRun(
        EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 4)
      ) {
        $0.playback = $0.microphone
      }
      run.tellTimes()
      try run.run { frame in
        guard reports, frame > 0 else { return }
        try run.session.playbackWasHeard(
          firstSample: Int64(frame * 7919 % (frame * 160)), at: .milliseconds(frame * 7919 % 5000),
          silence: UInt32(frame % 3 * 1600))
      }
      return run
    }
    let (with, without) = (try await run(true), try await run(false))
    let isSame = with.sink.processed == without.sink.processed
    #expect(isSame)
    #expect(with.sink.events == without.sink.events)
  }

  /// Without a report, the known drift is wrong for ten seconds.
  @Test(arguments: [400, -400] as [Double], [0.9, 1])
  func aClientThatCorrectsTheDriftReportsItsRate(drift: Double, share: Double) async throws {
    let ahead = 0.06
    let run = try await session(lag: 0.2, seconds: 24) {
      $0.driftPPM = drift
      $0.compensation = (at: 14.09 + ahead, ppm: share * drift)
    }
    try run.run { frame in
      try run.reportPlayback(at: frame, ahead: ahead, rate: frame < 1409 ? 0 : share * drift)
    }
    let left = try #require(run.session.statistics.driftPPM)
    #expect(abs(left + (1 - share) * drift) < 20, "\(left)")
    for second in stride(from: 10.0, to: 24, by: 1) {
      let reduction = run.reduction(second..<second + 1)
      #expect(reduction > 30, "\(second): \(reduction)")
    }
  }

  @Test(arguments: [1000.1, -1001, .infinity, .nan])
  func impossibleRatesAreRefused(rate: Double) async throws {
    let run = try await session(lag: 0.1, seconds: 1)
    try run.run { frame in
      guard frame == 50 else { return }
      let fault = #expect(throws: InputError.self) {
        try run.session.playbackWasHeard(firstSample: 1600, at: .zero, silence: 0, rate: rate)
      }
      #expect(fault?.field == "rate_ppm")
    }
  }

  @Test func reportsWithoutTheMicrophonesTimesHarmNothing() async throws {
    let run = try await session(lag: 0.3, seconds: 8)
    run.captureTime = { _ in nil }
    try run.run { frame in try run.reportPlayback(at: frame) }
    #expect(run.reduction(3..<8) > 25, "\(run.reduction(3..<8))")
    #expect(run.warnings(.unsteadyClocks).isEmpty)
  }

  private func session(
    lag: Double, seconds: Double, _ change: (inout EchoScene) -> Void = { _ in },
    setup: (inout SessionSetup) -> Void = { _ in }
  ) async throws -> EchoRun {
    let run = try EchoRun(
      EchoRun.scene(lag: lag, change), farEnd: try await Voices.far(seconds: seconds),
      from: .playback, setup)
    run.tellTimes()
    return run
  }

  private func decode(_ bytes: [UInt8]) -> [Float] {
    bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}

extension EchoRun {
  /// Reports every 100 ms the sample that is heard when a microphone frame is captured, or soon
  /// after.
  func reportPlayback(
    at frame: Int, ahead: Double = 0, isDue: Bool = false, silence: UInt32 = 0, skipped: UInt32 = 0,
    rate compensation: Double = 0
  ) throws {
    guard isDue || frame % 10 == 9 else { return }
    let seconds = Double(frame) / 100 + ahead
    let heard = seconds - scene.lag(at: seconds)
    guard heard >= 0 else { return }
    let sample = Int64(heard * Double(rate.hertz))
    try session.playbackWasHeard(
      firstSample: sample,
      at: scene.playbackTime(ofReference: Double(sample) / Double(rate.hertz)),
      silence: silence, skipped: skipped, rate: compensation)
  }
}
