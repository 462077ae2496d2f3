internal import AudioCore
internal import Foundation
internal import VoiceSessions
internal import WebRTCEngine

/// A session that is fed noise, and measured.
final class MeasuredSession {
  private let session: VoiceSession
  private let sink = Discard()
  private let inputs: [InputKind]
  private let frames: [[UInt8]]
  private var next = 0

  init(_ kind: SessionKind, _ rate: SampleRate) throws {
    let setup = kind.setup(rate)
    session = try VoiceSession(setup, engine: WebRTCVoiceEngine.self)
    inputs =
      [.reference] + (setup.farEnd == nil ? [] : [.farEnd])
      + (setup.otherAudio == nil ? [] : [.otherAudio]) + [.microphone]
    var state: UInt32 = 1
    frames = (0..<997).map { _ in
      (0..<rate.samplesPerFrame).flatMap { _ -> [UInt8] in
        state = state &* 1_664_525 &+ 1_013_904_223
        return [UInt8(truncatingIfNeeded: state >> 16), UInt8((state >> 24) & 7)]
      }
    }
  }

  /// The processor time of so many frames, in microseconds.
  func run(frames count: Int) throws -> Double {
    var begin = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin)
    for _ in 0..<count {
      for (index, input) in inputs.enumerated() {
        try frames[(next + index * 101) % frames.count].withUnsafeBytes {
          try session.append($0, to: input, firstSample: nil, gap: .unspecified, sink: sink)
        }
      }
      session.process(sink: sink)
      next += 1
    }
    var end = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    return Double(end.tv_sec - begin.tv_sec) * 1e6 + Double(end.tv_nsec - begin.tv_nsec) / 1e3
  }
}

private final class Discard: SessionSink {
  func emit(_ chunk: OutputChunk) {}
  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
