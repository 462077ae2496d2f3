internal import AudioCodecs
internal import AudioCore
internal import SpatialAudio
internal import VoiceEngines
internal import VoiceSessions

/// A session that gets the frames of a call again and again.
final class MeasuredSession {
  private let session: VoiceSession
  private let sink = Discard()
  private let audio: CallAudio
  private let others: [InputKind]
  private let isSpatial: Bool
  private let farEndCount: Int
  /// The packets of the microphone, or none.
  private let packets: [[UInt8]]
  private var next: Int

  init(
    _ kind: SessionKind, _ audio: CallAudio, _ engine: any VoiceEngine.Type, firstFrame: Int = 0
  ) throws {
    let setup = try kind.setup(audio.rate)
    session = try VoiceSession(setup, engine: engine)
    self.audio = audio
    others = (setup.farEnd == nil ? [] : [.farEnd]) + (setup.otherAudio == nil ? [] : [.otherAudio])
    next = firstFrame
    isSpatial = kind == .spatial
    farEndCount = setup.farEnds.count
    packets = kind == .opus ? Self.packets(audio) : []
    if kind.hasNamedFarEnds {
      let route = AudioRoute(output: AudioPort(id: "headphones", isHeadphones: true))
      session.submit(.route(RouteChange(reason: .newDevice, current: route)), sink: sink)
    }
  }

  private static func packets(_ audio: CallAudio) -> [[UInt8]] {
    var encoder = PacketEncoder(
      rate: audio.rate, channelCount: 1, frames: 1, OpusSettings(channelCount: 1), for: .speech)
    return audio.frames.map { frame in
      let samples = stride(from: 0, to: frame.microphone.count, by: 2).map { place in
        let value = UInt16(frame.microphone[place]) | UInt16(frame.microphone[place + 1]) << 8
        return Float(Int16(bitPattern: value)) / 32_768
      }
      return samples.withUnsafeBytes { Array(encoder.encode($0)) }
    }
  }

  func run(frames count: Int) throws {
    for _ in 0..<count {
      try append(frame(0).reference, to: .reference)
      for (index, input) in others.enumerated() {
        try append(frame((index + 1) * 211).reference, to: input)
      }
      for farEnd in 0..<farEndCount {
        try frame((farEnd + 1) * 61).reference.withUnsafeBytes {
          try session.append(
            $0, toFarEnd: farEnd, firstSample: nil, gap: .unspecified, sink: sink)
        }
      }
      if isSpatial, let pose = HeadPose(yaw: Float(next % 360), pitch: 0, roll: 0) {
        session.turnHead(to: pose, at: nil)
      }
      let microphone = packets.isEmpty ? frame(0).microphone : packets[next % packets.count]
      try append(microphone, to: .microphone)
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
