import AudioCore
import SpatialAudio
import TestAudio
import Testing

@testable import VoiceSessions

#if canImport(Glibc)
  import Glibc
#endif

/// Named far ends: mixed down for loudspeakers, rendered for both ears for headphones.
struct SpatialSessionTests {
  @Test func namedFarEndsAreMixedDownForLoudspeakers() throws {
    let call = try SpatialCall { $0.configuration.spatial.sources[1].gain = -20 }
    call.session.submit(.route(.to("speaker")), sink: call.sink)
    try call.send(frames: 20)
    let expected = zip(call.alice, call.bob).map { $0 + $1 * 0.1 }
    for plane in call.playback {
      #expect(zip(plane, expected).allSatisfy { abs($0 - $1) < 1e-6 })
    }
    #expect(!call.session.statistics.isSpatialAudioActive)
  }

  @Test func withoutARouteTheyAreMixedDownToo() throws {
    let call = try SpatialCall()
    try call.send(frames: 5)
    #expect(call.playback[0] == call.playback[1])
  }

  @Test func headphonesHearThemFromTheirPlaces() throws {
    let call = try SpatialCall()
    call.plugInHeadphones()
    try call.send(frames: 20, bob: false)
    #expect(call.session.statistics.isSpatialAudioActive)
    let (left, right) = (energy(call.playback[0]), energy(call.playback[1]))
    #expect(left > 5 * right, "alice is to the left")
    let other = try SpatialCall()
    other.plugInHeadphones()
    try other.send(frames: 20, alice: false)
    #expect(energy(other.playback[1]) > 5 * energy(other.playback[0]), "bob is to the right")
  }

  @Test func thePersonSwitchesItOn() throws {
    let call = try SpatialCall { $0.configuration.spatial.isEnabled = false }
    call.plugInHeadphones()
    try call.send(frames: 10)
    #expect(call.playback[0] == call.playback[1])
    call.configure { $0.spatial.isEnabled = true }
    try call.send(frames: 10)
    #expect(call.playback[0].suffix(2_400) != call.playback[1].suffix(2_400))
  }

  @Test func aMonoPlaybackIsAlwaysMixedDown() throws {
    let call = try SpatialCall { $0.playback = .f32(.hz48000) }
    call.plugInHeadphones()
    try call.send(frames: 10)
    #expect(!call.session.statistics.isSpatialAudioActive)
    #expect(zip(call.playback[0], zip(call.alice, call.bob)).allSatisfy { $0 == $1.0 + $1.1 })
  }

  @Test func aPlaceThatIsChangedLiveIsHeard() throws {
    let call = try SpatialCall()
    call.plugInHeadphones()
    try call.send(frames: 20, bob: false)
    call.configure { $0.spatial.sources[0].placement = Placement(azimuth: -90) }
    try call.send(frames: 20, bob: false)
    let (left, right) = (call.playback[0].suffix(7_200), call.playback[1].suffix(7_200))
    #expect(energy(Array(right)) > 5 * energy(Array(left)))
  }

  /// The head turns at 305 ms, in the frame of the samples from 14,400 to 14,880. Everything that
  /// follows is as if it had been turned before within two frames, 960 samples: 20 ms.
  @Test func aPoseIsHeardFromTheFrameOfItsTime() throws {
    let turned = try #require(HeadPose(yaw: 90, pitch: 0, roll: 0))
    func render(_ prepare: (SpatialCall) -> Void) throws -> [[Float]] {
      let call = try SpatialCall {
        $0.configuration.spatial.isHeadTracked = true
        $0.configuration.spatial.hasReflections = false
      }
      call.plugInHeadphones()
      prepare(call)
      try call.send(frames: 50, hasTimes: true)
      return call.playback
    }
    let still = try render { _ in }
    let before = try render { $0.session.turnHead(to: turned, at: .zero) }
    let turning = try render {
      // Before the first samples, whose times the session needs.
      $0.recordFirstTime()
      $0.session.turnHead(to: turned, at: .milliseconds(305))
    }
    for channel in 0..<2 {
      let first = try #require(
        turning[channel].indices.first {
          turning[channel][$0] != still[channel][$0]
        })
      #expect((14_400..<14_880).contains(first))
      let last = try #require(
        turning[channel].indices.last {
          abs(turning[channel][$0] - before[channel][$0]) > 1e-5
        })
      #expect(last < 14_400 + 960)
    }
  }

  @Test func withoutHeadTrackingPosesHaveNoEffect() throws {
    let turned = try #require(HeadPose(yaw: 90, pitch: 0, roll: 0))
    let call = try SpatialCall()
    call.plugInHeadphones()
    call.session.turnHead(to: turned, at: nil)
    try call.send(frames: 20, bob: false)
    #expect(energy(call.playback[0]) > 5 * energy(call.playback[1]))
  }

  @Test func ofManyPosesTheLatestWait() throws {
    var head = HeadTracking(rate: .hz16000)
    head.recordCapture(sample: 0, at: .zero)
    for index in 0..<1_000 {
      let pose = try #require(HeadPose(yaw: Float(index) / 10, pitch: 0, roll: 0))
      head.add(pose, at: .milliseconds(10 * index))
    }
    head.advance(to: 160)
    #expect(head.pose == .ahead)
    // 900 frames later, only the latest 64 are known: the first of them is number 936.
    head.advance(to: 160 * 937)
    #expect(head.pose == HeadPose(yaw: 93.6, pitch: 0, roll: 0))
    head.add(.ahead, at: nil)
    head.advance(to: 160 * 937)
    #expect(head.pose == .ahead)
  }

  /// A clock that was told long ago, as by a client whose chunks skip samples.
  @Test func aPoseIsDueHoweverLongAgoTheClockWasTold() throws {
    var head = HeadTracking(rate: .hz48000)
    head.recordCapture(sample: 0, at: .zero)
    let pose = try #require(HeadPose(yaw: 30, pitch: 0, roll: 0))
    head.add(pose, at: .seconds(1_000_000))
    head.advance(to: 48_000 * 999_999)
    #expect(head.pose == .ahead)
    head.advance(to: 48_000 * 1_000_001)
    #expect(head.pose == pose)
  }

  @Test func ofManyPosesForAFrameTheLastOneCounts() throws {
    var head = HeadTracking(rate: .hz16000)
    for index in 0..<10_000 {
      head.add(try #require(HeadPose(yaw: Float(index % 360), pitch: 0, roll: 0)), at: nil)
      #expect(head.waitingCount == 1)
    }
    head.advance(to: 160)
    #expect(head.pose == HeadPose(yaw: Float(9_999 % 360), pitch: 0, roll: 0))
    #expect(head.waitingCount == 0)
  }

  @Test func theSameResponsesAnewChangeNothing() throws {
    func render(_ change: (SpatialCall) throws -> Void) throws -> [[Float]] {
      let call = try SpatialCall()
      call.plugInHeadphones()
      try call.send(frames: 20)
      try change(call)
      try call.send(frames: 20)
      return call.playback
    }
    let expected = try render { _ in }
    let changed = try render { $0.session.useHeadResponses(try .generic(rate: .hz48000)) }
    for channel in 0..<2 {
      #expect(zip(expected[channel], changed[channel]).allSatisfy { abs($0 - $1) < 1e-4 })
    }
  }

  @Test func responsesOfAnotherRateChangeNothing() throws {
    let call = try SpatialCall()
    call.plugInHeadphones()
    call.session.useHeadResponses(try .generic(rate: .hz16000))
    try call.send(frames: 20, bob: false)
    #expect(energy(call.playback[0]) > 5 * energy(call.playback[1]))
  }

  @Test func unpluggedHeadphonesLeaveNoStep() throws {
    let call = try SpatialCall(isSine: true)
    call.plugInHeadphones()
    try call.send(frames: 20)
    call.session.submit(.route(.to("speaker")), sink: call.sink)
    try call.send(frames: 20)
    call.plugInHeadphones()
    try call.send(frames: 20)
    let samples = call.playback[0].dropFirst(1_440)
    let steps = zip(samples, samples.dropFirst()).map { abs($0 - $1) }
    let seams = [9_600, 19_200].map { $0 - 1_440 }
    let around = seams.flatMap { steps[$0 - 480..<$0 + 960] }
    let others = [steps[4_000..<7_000].max() ?? 0, steps[10_000..<16_000].max() ?? 0]
    #expect((around.max() ?? 1) < 1.2 * (others.max() ?? 0))
  }

  @Test func aGapNamesItsFarEnd() throws {
    let call = try SpatialCall()
    let bytes = encode([Signals.silence(480)], .f32)
    try bytes.withUnsafeBytes {
      try call.session.append(
        $0, toFarEnd: 1, firstSample: 4_800, gap: .xrun, sink: call.sink)
    }
    #expect(
      call.sink.kinds == [.farEndDiscontinuity(id: "bob", .xrun, missingSamples: 4_800)])
  }

  @Test func voiceOfANamedFarEndIsVoiceOfTheFarEnd() throws {
    let call = try SpatialCall { $0.configuration.voiceActivity.isFarEndEnabled = true }
    try call.send(frames: 50)
    let voices = call.sink.kinds.filter {
      if case .voiceActivityChanged(.farEnd, true, _) = $0 { true } else { false }
    }
    #expect(voices.count == 1)
  }

  @Test func otherAudioIsHeardFromTwoLoudspeakersInFront() throws {
    func call(_ change: (inout SessionSetup) -> Void = { _ in }) throws -> SpatialCall {
      try SpatialCall {
        $0.otherAudio = .f32(.hz48000, 2)
        $0.configuration.spatial.hasReflections = false
        change(&$0)
      }
    }
    // The left channel alone.
    let left = try call()
    left.plugInHeadphones()
    try left.send(frames: 20, alice: false, bob: false, media: (true, false))
    #expect(left.session.statistics.isSpatialAudioActive)
    let ears = left.playback.map(energy)
    #expect(ears[0] > 1.5 * ears[1] && ears[1] > 0.02 * ears[0], "both ears hear it")
    // Both channels together are about as loud as without rendering.
    let (both, plain) = (try call(), try call { $0.configuration.spatial.mixesOtherAudio = true })
    for call in [both, plain] {
      call.plugInHeadphones()
      try call.send(frames: 20, alice: false, bob: false, media: (true, true))
    }
    let loudness = 10 * log10(energy(both.playback[0]) / energy(plain.playback[0]))
    #expect(abs(loudness) < 3, "\(loudness) dB")
    #expect(plain.playback[0] != plain.playback[1], "a stereo sound stays one")
    let speakers = try call()
    try speakers.send(frames: 20, alice: false, bob: false, media: (true, true))
    #expect(speakers.playback == plain.playback)
  }

  @Test func otherAudioTurnsAgainstTheHeadAndIsLoweredAllTheSame() throws {
    let call = try SpatialCall {
      $0.farEnds = []
      $0.otherAudio = .f32(.hz48000)
      $0.configuration.spatial.isHeadTracked = true
      $0.configuration.ducking.level = .max
    }
    call.plugInHeadphones()
    call.session.turnHead(to: try #require(HeadPose(yaw: 90, pitch: 0, roll: 0)), at: nil)
    try call.send(frames: 20, alice: false, bob: false, media: (true, true))
    let (left, right) = (energy(call.playback[0]), energy(call.playback[1]))
    #expect(right > 2 * left, "what is ahead is now to the right")
    let reduction = 10 * log10(right / energy(Array(call.alice[..<9_600])))
    #expect(reduction < -20, "\(reduction) dB")
  }
}

/// A call with two named far ends, alice to the left and bob to the right, and a playback of 48 kHz.
private final class SpatialCall {
  let session: VoiceSession
  let sink = RecordingSink()
  private(set) var alice: [Float]
  private(set) var bob: [Float]
  private var sent = 0

  init(isSine: Bool = false, _ change: (inout SessionSetup) -> Void = { _ in }) throws {
    var setup = SessionSetup(microphone: .f32(.hz16000))
    setup.isRealTime = false
    setup.playback = .f32(.hz48000, 2)
    setup.farEnds = ["alice", "bob"].map { NamedFarEnd(id: $0, format: .f32(.hz48000)) }
    setup.headResponses = try .generic(rate: .hz48000)
    setup.configuration.spatial.isEnabled = true
    setup.configuration.spatial.sources = [
      .init(farEnd: "alice", placement: Placement(azimuth: 90)),
      .init(farEnd: "bob", placement: Placement(azimuth: -90)),
    ]
    change(&setup)
    session = try VoiceSession(setup, engine: ScriptedEngine.self)
    let count = 60 * 480
    alice = isSine ? sine(count) : Signals.noise(count, seed: 2)
    bob = isSine ? Signals.silence(count) : Signals.noise(count, seed: 3)
  }

  func plugInHeadphones() {
    session.submit(.route(.to("headphones", isHeadphones: true)), sink: sink)
  }

  func configure(_ change: @escaping @Sendable (inout SessionConfiguration) -> Void) {
    session.submit(SessionControl(id: 1, by: .mediaClient, .edit(change)), sink: sink)
  }

  func recordFirstTime() { session.head.recordCapture(sample: 0, at: .zero) }

  func send(
    frames: Int, alice hasAlice: Bool = true, bob hasBob: Bool = true, hasTimes: Bool = false,
    media: (left: Bool, right: Bool)? = nil
  ) throws {
    for frame in sent..<sent + frames {
      let samples = frame * 480..<(frame + 1) * 480
      if hasAlice { try append(Array(alice[samples]), 0) }
      if hasBob { try append(Array(bob[samples]), 1) }
      if let media { try append(media, samples) }
      let silence = encode([Signals.silence(160)], .f32)
      try silence.withUnsafeBytes {
        try session.append(
          $0, to: .microphone, firstSample: nil,
          deviceTime: hasTimes ? .milliseconds(10 * frame) : nil, gap: .unspecified, sink: sink)
      }
      session.process(sink: sink)
    }
    sent += frames
  }

  /// Sends other audio, of which the left channel is alice's sound and the right one bob's.
  private func append(_ media: (left: Bool, right: Bool), _ samples: Range<Int>) throws {
    let silence = Signals.silence(samples.count)
    let planes = [
      media.left ? Array(alice[samples]) : silence, media.right ? Array(bob[samples]) : silence,
    ]
    let channels = session.setup.otherAudio?.channelCount ?? 1
    try encode(Array(planes.prefix(channels)), .f32).withUnsafeBytes {
      try session.append($0, to: .otherAudio, firstSample: nil, gap: .unspecified, sink: sink)
    }
  }

  private func append(_ samples: [Float], _ farEnd: Int) throws {
    let bytes = encode([samples], .f32)
    try bytes.withUnsafeBytes {
      try session.append(
        $0, toFarEnd: farEnd, firstSample: nil, gap: .unspecified, sink: sink)
    }
  }

  var playback: [[Float]] {
    guard let format = session.setup.playback else { return [] }
    return decode(sink.playback, format)
  }
}

private func energy(_ samples: [Float]) -> Float { samples.reduce(0) { $0 + $1 * $1 } }

private func sine(_ count: Int) -> [Float] {
  let step = 2 * Double.pi * 500 / 48_000
  return Signals.silence(count).indices.map { Float(0.2 * sin(step * Double($0))) }
}

extension Placement {
  fileprivate init(azimuth: Float) { self.init(azimuth: azimuth, elevation: 0, distance: 1) }
}
