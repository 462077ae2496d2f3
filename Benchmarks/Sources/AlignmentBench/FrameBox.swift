internal import AudioCore

/// A frame that an array may hold.
final class FrameBox {
  let frame: Frame

  init(_ rate: SampleRate) { frame = Frame(rate: rate, channelCount: 1) }

  /// What lies after the signal is silence.
  func fill(_ samples: [Float], _ start: Int) {
    let plane = frame.plane(0)
    for index in plane.indices {
      plane[index] = samples.indices.contains(start + index) ? samples[start + index] : 0
    }
  }
}
