import AudioCore
import SpatialAudio

/// A renderer with the generic responses, and what it rendered.
struct Rendering {
  let renderer: BinauralRenderer
  private let input: Frames
  private(set) var left: [Float] = []
  private(set) var right: [Float] = []

  init(rate: SampleRate = .hz48000, sourceCount: Int = 1) throws {
    renderer = BinauralRenderer(try .generic(rate: rate), sourceCount: sourceCount)
    input = Frames(rate)
  }

  /// Renders whole frames of one signal, which all sources play. `scene` gives the setting of a source
  /// and the pose of a frame.
  mutating func play(
    _ signal: [Float], _ scene: (_ frame: Int, _ source: Int) -> (SourceSetting, HeadPose)
  ) {
    let count = renderer.rate.samplesPerFrame
    for frame in 0..<signal.count / count {
      input.fill(signal[frame * count..<(frame + 1) * count])
      for source in 0..<renderer.sourceCount {
        let (setting, head) = scene(frame, source)
        renderer.accept(input.mono, of: source, setting, head: head)
      }
      input.output.clear()
      renderer.add(to: input.output)
      left += input.output.plane(0)
      right += input.output.plane(1)
    }
  }

  /// Renders whole frames of a source that stays where it is.
  mutating func play(
    _ signal: [Float], at placement: Placement, head: HeadPose = .ahead,
    hasReflections: Bool = false
  ) {
    let setting = SourceSetting(placement: placement, hasReflections: hasReflections)
    play(signal) { _, _ in (setting, head) }
  }
}

/// The frames of a rendering.
private final class Frames {
  let mono: Frame
  let output: Frame

  init(_ rate: SampleRate) {
    mono = Frame(rate: rate, channelCount: 1)
    output = Frame(rate: rate, channelCount: 2)
  }

  func fill(_ samples: ArraySlice<Float>) {
    for (index, sample) in samples.enumerated() { mono.plane(0)[index] = sample }
  }
}

extension Placement {
  init(azimuth: Float) { self.init(azimuth: azimuth, elevation: 0, distance: 1) }
}
