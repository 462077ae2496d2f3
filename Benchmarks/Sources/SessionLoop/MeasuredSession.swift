internal import AudioCore
internal import VoiceEngines
internal import VoiceSessions

/// A session that gets the frames of a call again and again.
final class MeasuredSession {
  private let session: VoiceSession
  private let sink = Discard()
  private let audio: CallAudio
  private let others: [InputKind]
  private var next: Int

  init(
    _ kind: SessionKind, _ audio: CallAudio, _ engine: any VoiceEngine.Type, firstFrame: Int = 0
  ) throws {
    let setup = kind.setup(audio.rate)
    session = try VoiceSession(setup, engine: engine)
    self.audio = audio
    others = (setup.farEnd == nil ? [] : [.farEnd]) + (setup.otherAudio == nil ? [] : [.otherAudio])
    next = firstFrame
  }

  func run(frames count: Int) throws {
    for _ in 0..<count {
      try append(frame(0).reference, to: .reference)
      for (index, input) in others.enumerated() {
        try append(frame((index + 1) * 211).reference, to: input)
      }
      try append(frame(0).microphone, to: .microphone)
      session.process(sink: sink)
      next += 1
    }
  }

  private func frame(_ offset: Int) -> (microphone: [UInt8], reference: [UInt8]) {
    audio.frames[(next + offset) % audio.frames.count]
  }

  private func append(_ samples: [UInt8], to input: InputKind) throws {
    try samples.withUnsafeBytes {
      try session.append($0, to: input, firstSample: nil, gap: .unspecified, sink: sink)
    }
  }
}

private final class Discard: SessionSink {
  func emit(_ chunk: OutputChunk) {}
  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
