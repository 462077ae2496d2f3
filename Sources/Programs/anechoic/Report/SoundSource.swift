internal import AudioCore
internal import AudioFiles
internal import Foundation

/// A sound of a report.
struct SoundSource {
  let title: String
  let path: String
  let caption: String

  /// Creates a sound. Without a caption, the caption is the name of the file.
  init(title: String, path: String, caption: String? = nil) {
    self.title = title
    self.path = path
    self.caption = caption ?? URL(fileURLWithPath: path).lastPathComponent
  }

  /// The levels of a sound.
  struct Levels {
    /// Over the time and the frequencies of a recording.
    var grid: LevelGrid
    /// The greatest magnitude of a sample.
    var peak: Float
  }

  /// Returns the levels of the sound in a recording.
  func levels(
    for recording: ReportedRecording, until stop: StopWatch
  ) throws -> Levels {
    let reader = try AudioFileReader(path: path)
    let (rate, channels) = (reader.format.rate, reader.format.channelCount)
    var spectrogram = Spectrogram(
      frameCount: recording.frameCount, rate: rate, channelCount: channels,
      topHertz: recording.format.rate.hertz / 2)
    var queue = SampleQueue(format: reader.format)
    let frame = Frame(rate: rate, channelCount: channels)
    var peak: Float = 0
    while true {
      try stop.check()
      var bytes = try reader.read(samples: rate.hertz)
      guard !bytes.isEmpty else { return Levels(grid: spectrogram.levels, peak: peak) }
      // The last frame may be shorter than 10 ms.
      let frameBytes = rate.samplesPerFrame * reader.format.bytesPerSampleFrame
      let rest = bytes.count % frameBytes
      if rest > 0 { bytes += repeatElement(0, count: frameBytes - rest) }
      _ = bytes.withUnsafeBytes { queue.append($0) }
      while queue.count >= frame.sampleCount {
        queue.read(into: frame)
        spectrogram.append(frame)
        peak = max(peak, frame.peak)
      }
    }
  }
}
