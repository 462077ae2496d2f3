internal import AcousticSimulator
internal import Alignment
internal import AudioCore
internal import VoiceEngines
internal import WebRTCEngine

/// One recording through the engine, with the aligner before it or without.
struct Trial {
  /// Of each frame: the mean squares of the echo, the near end and the output, aligned.
  private(set) var echo: [Float] = []
  private(set) var near: [Float] = []
  private(set) var microphone: [Float] = []
  private(set) var output: [Float] = []
  private(set) var hasVoice: [Bool] = []
  private(set) var changes: [(frame: Int, change: AlignmentChange)] = []
  private(set) var status = AlignmentStatus()
  private(set) var outputSamples: [Float] = []
  private(set) var latencySamples = 0

  /// `heldBack` is a constant delay of the microphone, in samples.
  init(
    _ recording: EchoScene.Recording, _ rate: SampleRate, isAligned: Bool, heldBack: Int = 0,
    search: WebRTCEchoSearch = WebRTCEchoSearch(), leads: ReferenceAligner.Leads = .init(),
    suppression: EngineSettings.EchoSuppression = .moderate
  ) throws {
    let format = EngineFormat(
      rate: rate, channelCount: 1, reference: .init(rate: rate, channelCount: 1))
    let settings = EngineSettings(echoSuppression: suppression, highPassFilter: true)
    let engine = try WebRTCVoiceEngine(format: format, settings: settings, echoSearch: search)
    var aligner = try ReferenceAligner(
      microphone: rate, reference: rate, referenceChannelCount: 1, leads: leads)
    let frames = (0..<4).map { _ in FrameBox(rate) }
    let (input, played, aligned, processed) = (frames[0], frames[1], frames[2], frames[3])
    let size = rate.samplesPerFrame
    let latency = engine.latencySamples + heldBack
    latencySamples = latency
    let count = recording.microphone.count / size
    for frame in 0..<count {
      input.fill(recording.microphone, frame * size - heldBack)
      played.fill(recording.reference, frame * size)
      if isAligned {
        let change = aligner.process(
          microphone: input.frame, reference: played.frame, into: aligned.frame)
        if let change { changes.append((frame, change)) }
      } else {
        aligned.frame.copy(played.frame)
      }
      let findings = engine.process(
        microphone: input.frame, reference: aligned.frame, into: processed.frame)
      hasVoice.append(findings.hasVoice)
      outputSamples.append(contentsOf: processed.frame.plane(0))
    }
    for frame in 0..<(count - latency / size - 1) {
      let range = frame * size..<(frame + 1) * size
      echo.append(meanSquare(recording.echo[range]))
      near.append(meanSquare(recording.near[range]))
      microphone.append(meanSquare(recording.microphone[range]))
      output.append(
        meanSquare(outputSamples[range.lowerBound + latency..<range.upperBound + latency]))
    }
    status = aligner.status
  }

  /// In decibels, from one second to another.
  func reduction(_ seconds: Range<Double>) -> Float {
    let frames = Int(seconds.lowerBound * 100)..<min(Int(seconds.upperBound * 100), echo.count)
    let before = echo[frames].reduce(0, +)
    let after = output[frames].reduce(0, +)
    return Decibels.level(meanSquare: before) - Decibels.level(meanSquare: max(after, 1e-12))
  }

  /// Of the seconds that begin at each half, and have echo of some loudness, the least.
  func leastReduction(_ seconds: Range<Double>) -> Float {
    stride(from: seconds.lowerBound, through: seconds.upperBound - 1, by: 0.5)
      .filter { begin in
        let frames = Int(begin * 100)..<min(Int(begin * 100) + 100, echo.count)
        return echo[frames].reduce(0, +) / Float(max(1, frames.count)) > 1e-5
      }
      .map { reduction($0..<$0 + 1) }.min() ?? .nan
  }

  /// The share of frames, in percent, in which the engine found a voice.
  func voiceShare(_ seconds: Range<Double>) -> Float {
    let frames = Int(seconds.lowerBound * 100)..<min(Int(seconds.upperBound * 100), hasVoice.count)
    return 100 * Float(hasVoice[frames].count { $0 }) / Float(frames.count)
  }

  /// After how many seconds from `start` on the echo stays 25 dB down, in every window of 300 ms in
  /// which there is some; nil for never.
  func recovery(after start: Double, until end: Double) -> Double? {
    let times = stride(from: start, to: end - 0.5, by: 0.05)
    let lastBad = times.reversed().first { time -> Bool in
      let frames = Int(time * 100)..<Int(time * 100) + 30
      let level = echo[frames].reduce(0, +) / 30
      return level > 3e-5 && reduction(time..<time + 0.3) < 25
    }
    guard let lastBad else { return 0 }
    return lastBad + 0.35 < end - 0.3 ? lastBad + 0.3 - start : nil
  }
}

/// A frame that an array may hold.
final class FrameBox {
  let frame: Frame

  init(_ rate: SampleRate) { frame = Frame(rate: rate, channelCount: 1) }

  /// What lies before the signal or after it is silence.
  func fill(_ samples: [Float], _ start: Int) {
    let plane = frame.plane(0)
    for index in plane.indices {
      let position = start + index
      plane[index] = samples.indices.contains(position) ? samples[position] : 0
    }
  }
}

func meanSquare(_ samples: ArraySlice<Float>) -> Float {
  samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))
}
