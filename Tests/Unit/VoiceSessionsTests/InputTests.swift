import AudioCore
import TestAudio
import Testing
import VoiceSessions

extension SessionEvent.Kind {
  fileprivate var isDiscontinuity: Bool {
    if case .discontinuity = self { true } else { false }
  }
}

/// Gaps, repeated samples, late samples and invalid audio.
struct InputTests {
  @Test func aGapIsFilledAndReported() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    try run.send(microphone: encode([Signals.noise(160)], .s16), at: 0)
    try run.send(microphone: encode([Signals.noise(160)], .s16), at: 800, gap: .xrun)
    run.finish()
    #expect(run.sink.kinds.first == .discontinuity(.microphone, .xrun, missingSamples: 640))
    #expect(run.sink.processed.count == 960 * 2)
  }

  /// Cases of the reference: it has no gap, the same gap, or the gap later.
  @Test(arguments: [1, 4, 5, 7, 10], [nil, 0, 2] as [Int?])
  func aLongGapOfTheMicrophoneEndsNothing(seconds: Int, referenceLateChunks: Int?) throws {
    let run = try SessionRun(SessionSetup(microphone: .s16, reference: .s16))
    let frame = encode([Signals.noise(160)], .s16)
    for _ in 0..<5 { try run.send(microphone: frame, reference: frame) }
    let gapEnd = Int64(800 + 16_000 * seconds)
    for index in 0..<40 {
      try run.send(
        microphone: frame, at: index == 0 ? gapEnd : nil, reference: frame,
        at: index == referenceLateChunks ? gapEnd : nil)
    }
    #expect(
      run.sink.kinds.contains(
        .discontinuity(.microphone, .unspecified, missingSamples: Int64(16_000 * seconds))))
    // Only the last frames wait for their reference.
    #expect(run.sink.frames.count >= 5 + 100 * seconds + 40 - 7)
    run.finish()
    #expect(run.sink.frames.count == 5 + 100 * seconds + 40)
  }

  @Test func consecutiveGapsAreReportedAsGaps() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16, reference: .s16))
    let frame = encode([Signals.noise(160)], .s16)
    for index in 1...4 { try run.send(microphone: frame, at: Int64(160_000 * index)) }
    run.finish()
    #expect(run.sink.frames.count == 4001)
  }

  @Test func samplesSeenBeforeAreDropped() throws {
    let noise = Signals.noise(480)
    func output(_ starts: [Int64]) throws -> [UInt8] {
      let run = try SessionRun(SessionSetup(microphone: .s16))
      for start in starts {
        let chunk = Array(noise[Int(start)..<Int(start) + 160])
        try run.send(microphone: encode([chunk], .s16), at: start)
      }
      run.finish()
      return run.sink.processed
    }
    #expect(try output([0, 160, 320]) == output([0, 80, 160, 0, 200, 320]))
  }

  @Test func aFrameWaitsForItsReferenceAndThenRunsWithout() throws {
    let (run, frame) = try Self.withReference()
    for _ in 0..<7 { try run.send(microphone: frame) }
    #expect(run.sink.frames.isEmpty)
    try run.send(microphone: frame)
    #expect(run.sink.frames.count == 1)
    #expect(run.sink.statistics.last?.flow.referenceFramesMissing == 1)
  }

  @Test func aReferenceThatComesTooLateIsDroppedNotShifted() throws {
    let (run, frame) = try Self.withReference()
    for _ in 0..<10 { try run.send(microphone: frame) }
    let missed = run.sink.frames.count
    // Everything arrives at once. The reference that was missed is dropped, and the rest is in its
    // place.
    for _ in 0..<10 { try run.send(reference: frame) }
    #expect(run.sink.frames.count == 10)
    #expect(run.sink.statistics.last?.flow.referenceFramesMissing == UInt64(missed))
  }

  @Test func badAudioIsRefusedAndNothingOfItIsKept() throws {
    let run = try SessionRun(SessionSetup(microphone: .f32(.hz16000, 2)))
    let poison = encode([[0, 0, .nan], [0, 0, 0]], .f32)
    let cases: [([UInt8], Int64?, InputError)] = [
      ([], nil, .empty),
      ([0, 1, 2], nil, .partialSampleFrame(bytes: 3, sampleFrame: 8)),
      (poison, nil, .notANumber(sample: 2)),
      (encode([[0, .infinity], [0, 0]], .f32), nil, .notANumber(sample: 1)),
      ([UInt8](repeating: 0, count: 16001 * 8), nil, .tooLong(.seconds(1))),
      ([UInt8](repeating: 0, count: 8), -1, .impossiblePosition(-1, expected: 0)),
      ([UInt8](repeating: 0, count: 8), .max, .impossiblePosition(.max, expected: 0)),
    ]
    for (bytes, position, fault) in cases {
      #expect(throws: fault) { try run.send(microphone: bytes, at: position) }
    }
    run.finish()
    #expect(run.sink.processed.isEmpty)
  }

  /// A client sends its reference only while something plays, and leaves the pauses out of its count, or
  /// counts anew. Under the media clock, an index is believed.
  @Test(arguments: [true, false], [nil, 0] as [Int64?])
  func aReferenceAfterAPauseBelongsToTheMicrophone(isRealTime: Bool, first: Int64?) throws {
    var setup = SessionSetup(microphone: .s16, reference: .s16)
    setup.isRealTime = isRealTime
    setup.framesPerStatistics = 1
    let run = try SessionRun(setup)
    let frame = encode([Signals.noise(160)], .s16)
    for _ in 0..<50 { try run.send(microphone: frame, reference: frame) }
    for _ in 0..<1500 { try run.send(microphone: frame) }
    for index in 0..<200 {
      try run.send(
        microphone: frame, at: nil, reference: frame, at: first.map { $0 + Int64(160 * index) })
    }
    let missed = try #require(run.sink.statistics.last).flow.referenceFramesMissing
    let isBack = missed < 1500 + 50
    #expect(isBack == isRealTime, "\(missed)")
    let gap = run.sink.kinds.contains { kind in
      guard case .discontinuity(.reference, _, let missing) = kind else { return false }
      return missing > 14 * 16_000
    }
    #expect(gap == isRealTime)
  }

  /// A client that does not count may send the same index with each chunk. After a few of them, its samples
  /// continue, and again once it counts.
  @Test(arguments: [true, false], [true, false])
  func anIndexThatStandsStillIsNotBelieved(isRealTime: Bool, ofReference: Bool) throws {
    var setup = SessionSetup(microphone: .s16, reference: .s16)
    setup.isRealTime = isRealTime
    setup.framesPerStatistics = 1
    let run = try SessionRun(setup)
    let frame = encode([Signals.noise(160)], .s16)
    for _ in 0..<200 {
      try run.send(
        microphone: frame, at: ofReference ? nil : 0, reference: frame, at: ofReference ? 0 : nil)
    }
    let frames = run.sink.processed.count / 320
    #expect(frames > 190, "\(frames)")
    let missed = try #require(run.sink.statistics.last).flow.referenceFramesMissing
    #expect(missed < 10, "\(missed)")
    for index in 1..<100 {
      try run.send(
        microphone: frame, at: ofReference ? nil : Int64(160 * index), reference: frame,
        at: ofReference ? Int64(160 * index) : nil)
    }
    #expect(run.sink.processed.count / 320 > frames + 90)
    #expect(try #require(run.sink.statistics.last).flow.referenceFramesMissing < 12)
  }

  /// Returns a session with a reference and statistics after each frame, and a frame of noise.
  private static func withReference() throws -> (SessionRun, [UInt8]) {
    var setup = SessionSetup(microphone: .s16, reference: .s16)
    setup.framesPerStatistics = 1
    return (try SessionRun(setup), encode([Signals.noise(160)], .s16))
  }

  /// A client that was held up delivers all of its reference at once.
  @Test func aReferenceThatComesLateInABurstIsNotMoved() throws {
    let (run, frame) = try Self.withReference()
    for _ in 0..<50 { try run.send(microphone: frame, reference: frame) }
    for _ in 0..<300 { try run.send(microphone: frame) }
    for _ in 0..<300 { try run.play(frame, to: .reference) }
    for _ in 0..<50 { try run.send(microphone: frame, reference: frame) }
    #expect(!run.sink.kinds.contains { $0.isDiscontinuity })
    let missed = try #require(run.sink.statistics.last).flow.referenceFramesMissing
    #expect(missed < 310, "\(missed)")
  }

  /// The threads of a client stall: the reference goes on, and the microphone comes late in a burst.
  @Test(arguments: [16, 30, 60, 90])
  func aReferenceInStepIsNotMovedWhenTheMicrophoneComesLate(frames: Int) throws {
    let (run, frame) = try Self.withReference()
    for _ in 0..<50 { try run.send(microphone: frame, reference: frame) }
    for _ in 0..<frames { try run.send(reference: frame) }
    for _ in 0..<frames { try run.send(microphone: frame) }
    for _ in 0..<200 { try run.send(microphone: frame, reference: frame) }
    #expect(!run.sink.kinds.contains { $0.isDiscontinuity })
    #expect(run.sink.statistics.last?.flow.referenceFramesMissing == 0)
  }

  /// The microphone stops for 0.6 s, and the network then brings its samples at twice their pace.
  @Test func aReferenceInStepIsNotMovedWhileTheMicrophoneCatchesUp() throws {
    let (run, frame) = try Self.withReference()
    for _ in 0..<50 { try run.send(microphone: frame, reference: frame) }
    for _ in 0..<60 { try run.send(reference: frame) }
    for _ in 0..<60 {
      try run.send(microphone: frame, reference: frame)
      try run.send(microphone: frame)
    }
    for _ in 0..<200 { try run.send(microphone: frame, reference: frame) }
    #expect(run.sink.statistics.last?.flow.referenceFramesMissing == 0)
  }

  /// Each chunk of 20 ms begins with the last half of the one before.
  @Test func chunksThatOverlapAreNotRepeated() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    let chunk = encode([Signals.noise(320)], .s16)
    for index in 0..<1000 { try run.send(microphone: chunk, at: Int64(160 * index)) }
    run.finish()
    #expect(run.sink.frames.count == 1001)
    #expect(!run.sink.kinds.contains { $0.isDiscontinuity })
  }

  /// The microphone pauses, and its index counts the pause, as that of the reference does.
  @Test func aReferenceWithIndexesIsInStepAfterAGapOfAStoppedMicrophone() throws {
    let (run, frame) = try Self.withReference()
    func index(_ frame: Int) -> Int64 { Int64(160 * frame) }
    for number in 0..<100 {
      try run.send(microphone: frame, at: index(number), reference: frame, at: index(number))
    }
    for number in 100..<300 {
      try run.send(microphone: nil, at: nil, reference: frame, at: index(number))
      if number == 200 { run.session.microphoneStoppedAlone(sink: run.sink) }
    }
    for number in 300..<500 {
      try run.send(microphone: frame, at: index(number), reference: frame, at: index(number))
    }
    #expect(run.sink.frames.count == 500)
    let statistics = try #require(run.sink.statistics.last)
    #expect(statistics.flow.referenceFramesMissing == 0, "\(statistics.flow)")
  }

  /// Returns how many frames come out of a microphone whose client gives the frames these numbers.
  private static func processedFrames(
    numbered numbers: Range<Int>..., isRealTime: Bool = true
  ) throws -> Int {
    var setup = SessionSetup(microphone: .s16)
    setup.isRealTime = isRealTime
    let run = try SessionRun(setup)
    let frame = encode([Signals.noise(160)], .s16)
    for number in numbers.joined() { try run.send(microphone: frame, at: Int64(160 * number)) }
    run.finish()
    return run.sink.frames.count
  }

  /// Another device takes over, and the client counts from 0 again.
  @Test(arguments: [true, false])
  func aMicrophoneThatCountsAnewGoesOn(isRealTime: Bool) throws {
    let frames = try Self.processedFrames(numbered: 0..<1000, 0..<800, isRealTime: isRealTime)
    #expect(isRealTime ? (1778...1782).contains(frames) : frames == 1000, "\(frames)")
  }

  /// A client may repeat the samples of the last seconds, which are all of a young call.
  @Test func aMicrophoneThatCountsAnewInAYoungCallGoesOnAfterThreeSeconds() throws {
    #expect(try Self.processedFrames(numbered: 0..<200, 0..<800) == 800)
  }

  @Test func aStrayChunkFromLongAgoIsDropped() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16))
    let frame = encode([Signals.noise(160)], .s16)
    for index in 0..<1000 {
      try run.send(microphone: frame, at: Int64(160 * index))
      if index > 400, index.isMultiple(of: 100) { try run.send(microphone: frame, at: 160) }
    }
    run.finish()
    #expect(run.sink.frames.count == 1000)
  }

  @Test func aMicrophoneThatRepeatsTwoSecondsContinuesWhereItWas() throws {
    #expect(try Self.processedFrames(numbered: 0..<1000, 800..<1200) == 1200)
  }

  /// The far end is in step again, too, as a test of the server shows.
  @Test func theReferenceIsInStepAfterTheMicrophoneStoppedAlone() throws {
    let (run, frame) = try Self.withReference()
    for _ in 0..<100 { try run.send(microphone: frame, reference: frame) }
    for index in 0..<1000 {
      try run.send(reference: frame)
      if index == 100 { run.session.microphoneStoppedAlone(sink: run.sink) }
    }
    for _ in 0..<100 { try run.send(microphone: frame, reference: frame) }
    #expect(run.sink.frames.count == 200)
    #expect(run.sink.statistics.last?.flow.referenceFramesMissing == 0)
  }

  @Test func aReferenceFarAheadIsRefused() throws {
    let run = try SessionRun(SessionSetup(microphone: .s16, reference: .s16))
    let second = [UInt8](repeating: 0, count: 32000)
    for _ in 0..<5 { try run.send(reference: second) }
    #expect(throws: InputError.tooFarAhead(.seconds(5))) { try run.send(reference: second) }
  }
}
