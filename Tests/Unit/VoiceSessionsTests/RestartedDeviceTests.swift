import AcousticSimulator
import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// Devices that stop and start again during a call: the echo and the warnings.
struct RestartedDeviceTests {
  /// Both devices are started again after 10 s, and the client counts from 0 for both. The server takes the
  /// microphone for a stopped one meanwhile.
  @Test(arguments: [nil, 1010])
  func theEchoStaysAwayWhenBothCountAnew(stopFrame: Int?) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.05), farEnd: try await Voices.far(seconds: 20))
    run.count = { $0 < 1000 ? $0 : $0 - 1000 }
    try run.run { frame in
      if frame == stopFrame { run.session.microphoneStoppedAlone(sink: run.sink) }
    }
    let lost = run.recording.microphone.count - run.output.count
    #expect(lost < 5000, "\(lost)")
    #expect(run.reduction(11..<19, lost: lost) > 30, "\(run.reduction(11..<19, lost: lost))")
  }

  /// The samples of a young call look as if they were repeated for longer.
  @Test func theEchoStaysAwayWhenAYoungCallCountsAnew() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.05), farEnd: try await Voices.far(seconds: 14))
    run.count = { $0 < 290 ? $0 : $0 - 290 }
    try run.run { frame in
      if frame == 400 { run.session.microphoneStoppedAlone(sink: run.sink) }
    }
    let lost = run.recording.microphone.count - run.output.count
    #expect(run.reduction(8..<13, lost: lost) > 30, "\(run.reduction(8..<13, lost: lost))")
  }

  /// The microphone stops while the reference goes on, and neither has indexes.
  @Test(arguments: [0.2, 0.3, 0.6, 0.9])
  func theEchoIsGoneAgainASecondAfterAStopWithoutIndexes(seconds: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.05) { $0.microphoneGaps = [10..<10 + seconds] },
      farEnd: try await Voices.far(seconds: 16))
    run.count = { _ in nil }
    try run.run()
    let (end, lost) = (10 + seconds, Int((seconds * 16_000).rounded()))
    let reduction = run.reduction(end + 1..<end + 4, lost: lost)
    #expect(reduction > 30, "\(reduction)")
  }

  /// The microphone stops again about when the reference has been brought in step after the first stop.
  @Test(arguments: [10.7, 10.71, 10.72, 10.73])
  func theEchoIsGoneAfterTwoStopsInARow(second: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.05) { $0.microphoneGaps = [10..<10.3, second..<second + 0.3] },
      farEnd: try await Voices.far(seconds: 16))
    run.count = { _ in nil }
    try run.run()
    let reduction = run.reduction(second + 1.3..<second + 4, lost: 9600)
    #expect(reduction > 30, "\(reduction)")
  }

  /// The microphone opens later than the loudspeaker, and neither has indexes.
  @Test(arguments: [0.2, 0.4, 0.8])
  func theEchoIsGoneAfterALateStartOfTheMicrophone(seconds: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.05) { $0.microphoneGaps = [0..<seconds] },
      farEnd: try await Voices.far(seconds: 10))
    run.count = { _ in nil }
    try run.run()
    let reduction = run.reduction(seconds + 3..<8, lost: Int((seconds * 16_000).rounded()))
    #expect(reduction > 30, "\(reduction)")
  }

  /// The microphone stops, and its indexes count the stop. The server takes it for a stopped one after 1 s.
  @Test(arguments: [3.0, 6, 9], [false, true])
  func aStopWithIndexesIsNoFaultOfOthers(seconds: Double, hasTimes: Bool) async throws {
    let end = 10 + seconds
    let run = try EchoRun(
      EchoRun.scene(lag: 0.05) { $0.microphoneGaps = [10..<end] },
      farEnd: try await Voices.far(seconds: end + 4))
    if hasTimes { run.tellTimes() }
    for frame in 0..<run.frameCount {
      try run.sendReference(frame)
      if frame == 1100 { run.session.microphoneStoppedAlone(sink: run.sink) }
      try run.sendMicrophone(frame)
    }
    run.session.finish(.clientClosed, sink: run.sink)
    let blamed = run.sink.kinds.filter {
      switch $0 {
      case .captureWarning, .discontinuity(.reference, _, _): true
      default: false
      }
    }
    #expect(blamed.isEmpty, "\(blamed)")
    #expect(run.reduction(end + 1..<end + 2) > 30, "\(run.reduction(end + 1..<end + 2))")
  }
}
