internal import AudioCore
internal import Foundation
public import VoiceSessions

/// A session of many hours of media time on two clocks. It measures the echo that remains in each
/// minute and the memory of the process.
public final class ClockSoak: SessionSink {
  /// The source of the session's knowledge of the playback: a reference, a reference with device
  /// times, or playback reports, which contain each step with which the client corrects the drift.
  public enum Reference: String, Sendable, CaseIterable { case untimed, timed, reports }

  /// The echo reduction in each minute, in dB.
  public private(set) var minutes: [Double] = []
  /// The warnings, each with the minute in which it began.
  public private(set) var warnings: [(problem: CaptureProblem, minute: Int)] = []
  /// The growth of the process's resident memory after the second minute, in MiB.
  public private(set) var memoryGrowth = 0.0
  public var statistics: SessionStatistics { session.statistics }

  private let call: DriftingCall
  private let session: VoiceSession
  private var before = 0.0
  private var after = 0.0
  private var referenceFrames = 0
  private var stepsTold = 0
  private let samples = UnsafeMutablePointer<Float>.allocate(capacity: DriftingCall.frame)

  public init(reference: Reference, ppm: Double, lag: Double) throws {
    // A playback is heard some time after it was sent, and steps of 10 ms add to this time.
    let least = reference == .reports ? 0.08 : 0
    call = DriftingCall(reference: reference, ppm: ppm, lag: max(lag, least))
    let format = AudioFormat(encoding: .f32, rate: .hz8000, channelCount: 1)
    var setup = SessionSetup(microphone: format)
    if reference == .reports {
      (setup.farEnd, setup.playback) = (format, format)
    } else {
      setup.reference = format
    }
    session = try VoiceSession(setup, engine: CheapCanceller.self)
  }

  deinit { samples.deallocate() }

  /// The lowest reduction of any minute except the first, in dB.
  public var leastReduction: Double { minutes.dropFirst().min() ?? 0 }

  /// Continues for this many minutes.
  public func run(minutes count: Int) throws {
    let framesPerMinute = 6000
    var memory = 0.0
    let first = minutes.count
    for minute in first..<first + count {
      for frame in minute * framesPerMinute..<(minute + 1) * framesPerMinute { try advance(frame) }
      minutes.append(10 * Foundation.log10(max(before, 1e-30) / max(after, 1e-30)))
      (before, after) = (0, 0)
      if minute == 1 { memory = Self.residentMebibytes }
    }
    memoryGrowth = max(0, Self.residentMebibytes - memory)
  }

  private func advance(_ frame: Int) throws {
    let time = Double(frame) / 100
    if call.reference == .reports {
      try sendFarEnd(frame)
    } else {
      while (referenceFrames + 1) * DriftingCall.frame <= call.played(afterFrames: frame + 1) {
        try sendReference()
      }
    }
    call.capture(frame, into: samples)
    for index in 0..<DriftingCall.frame { before += Double(samples[index] * samples[index]) }
    let captured = call.reference == .untimed ? nil : Duration.seconds(1000 + time + tremble(frame))
    try append(to: .microphone, frame, captured)
    session.process(sink: self)
    if call.reference == .reports { try report(frame) }
  }

  private func sendReference() throws {
    let first = referenceFrames * DriftingCall.frame
    for index in 0..<DriftingCall.frame { samples[index] = DriftingCall.source(first + index) }
    let heard = call.heard(deviceSample: Double(first)) - 0.003
    let time = Duration.seconds(1000 + heard + tremble(referenceFrames &* 31))
    try append(to: .reference, referenceFrames, call.reference == .timed ? time : nil)
    referenceFrames += 1
  }

  private func sendFarEnd(_ frame: Int) throws {
    let first = frame * DriftingCall.frame
    for index in 0..<DriftingCall.frame { samples[index] = DriftingCall.source(first + index) }
    try append(to: .farEnd, frame, nil)
  }

  /// Reports ten times a second the sample that is heard in 50 ms. Reports each step as soon as it
  /// is that close.
  private func report(_ frame: Int) throws {
    let ahead = Double(frame + 1) / 100 + 0.05
    let device = Int(call.deviceSample(at: ahead))
    let steps = call.steps(before: device)
    guard device > 0, frame % 10 == 9 || steps > stepsTold else { return }
    var reported = device
    if steps > 0 {
      // While inserted silence plays, reports the first sample after the silence.
      let begin = call.begin(ofStep: steps) + (call.ppm > 0 ? DriftingCall.step : 0)
      if steps > stepsTold { reported = begin } else { reported = max(reported, begin) }
    }
    guard let sample = call.farEndSample(ofDevice: reported) else { return }
    let change = UInt32((steps - stepsTold) * DriftingCall.step)
    stepsTold = steps
    let time = 1000 + call.heard(deviceSample: Double(reported)) - 0.003 + tremble(frame &* 37)
    try session.playbackWasHeard(
      firstSample: Int64(sample), at: .seconds(time), silence: call.ppm > 0 ? change : 0,
      skipped: call.ppm < 0 ? change : 0)
  }

  private func append(to input: InputKind, _ frame: Int, _ time: Duration?) throws {
    let bytes = UnsafeRawBufferPointer(start: samples, count: DriftingCall.frame * 4)
    try session.append(
      bytes, to: input, firstSample: Int64(frame * DriftingCall.frame), deviceTime: time,
      gap: .unspecified, sink: self)
  }

  /// Returns a pseudo-random time of up to 1 ms, in seconds.
  private func tremble(_ seed: Int) -> Double {
    // Products alone would rise and fall evenly, which would be a drift.
    var mixed = UInt32(truncatingIfNeeded: seed)
    for factor: UInt32 in [0x7FEB_352D, 0x846C_A68B] {
      mixed = (mixed ^ mixed >> 16) &* factor
      mixed ^= mixed >> 15
    }
    return (Double(mixed >> 16) / 32768 - 1) * 0.001
  }

  private static var residentMebibytes: Double {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) }
    return (pages ?? 0) * 4096 / 1_048_576
  }

  // MARK: SessionSink

  public func emit(_ chunk: OutputChunk) {
    for sample in chunk.processed.bytes.bindMemory(to: Float.self) {
      after += Double(sample * sample)
    }
  }

  public func emit(_ event: SessionEvent) {
    guard case .captureWarning(let problem, isActive: true) = event.kind else { return }
    warnings.append((problem, minutes.count))
  }

  public func emit(_ result: ControlResult) {}
  public func emit(_ statistics: SessionStatistics) {}
}
