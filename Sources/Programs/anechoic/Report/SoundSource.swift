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

  /// Returns the levels of the sound over the time and the frequencies of a recording.
  func levels(
    for recording: ReportedRecording, until stop: StopWatch
  ) throws -> LevelGrid {
    let reader = try AudioFileReader(path: path)
    let (rate, channels) = (reader.format.rate, reader.format.channelCount)
    var spectrogram = Spectrogram(
      frameCount: recording.frameCount, rate: rate, channelCount: channels,
      topHertz: recording.format.rate.hertz / 2)
    var queue = SampleQueue(format: reader.format)
    let frame = Frame(rate: rate, channelCount: channels)
    while true {
      try stop.check()
      var bytes = try reader.read(samples: rate.hertz)
      guard !bytes.isEmpty else { return spectrogram.levels }
      // The last frame may be shorter than 10 ms.
      let frameBytes = rate.samplesPerFrame * reader.format.bytesPerSampleFrame
      let rest = bytes.count % frameBytes
      if rest > 0 { bytes += repeatElement(0, count: frameBytes - rest) }
      _ = bytes.withUnsafeBytes { queue.append($0) }
      while queue.count >= frame.sampleCount {
        queue.take(into: frame)
        spectrogram.append(frame)
      }
    }
  }
}
