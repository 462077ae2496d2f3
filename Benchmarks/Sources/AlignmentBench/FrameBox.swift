internal import AudioCore

/// A frame in a class, so that an array can contain it.
final class FrameBox {
  let frame: Frame

  init(_ rate: SampleRate) { frame = Frame(rate: rate, channelCount: 1) }

  /// Fills the frame with the samples from `start` on. The rest of the frame is silence.
  func fill(_ samples: [Float], _ start: Int) {
    let plane = frame.plane(0)
    for index in plane.indices {
      plane[index] = samples.indices.contains(start + index) ? samples[start + index] : 0
    }
  }
}
