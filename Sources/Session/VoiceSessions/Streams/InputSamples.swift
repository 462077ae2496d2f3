internal import AudioCore

/// Samples of an input, valid for one call.
enum InputSamples {
  /// Whole sample frames in the format of the input, or one Opus packet.
  case encoded(UnsafeRawBufferPointer)
  /// Samples of each channel, for an input of plain samples.
  case planes(UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int, count: Int)

  /// The samples of a frame.
  init(_ frame: borrowing Frame) {
    self = .planes(
      frame.planePointers, channelCount: frame.channelCount, count: frame.sampleCount)
  }

  var isEmpty: Bool {
    switch self {
    case .encoded(let bytes): bytes.isEmpty
    case .planes(_, _, let count): count == 0
    }
  }
}
