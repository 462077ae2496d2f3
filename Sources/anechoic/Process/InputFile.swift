internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import Foundation

/// A file on its way into an input of a session, and how loud it was.
final class InputFile {
  let input: SessionInput
  let format: AudioFormat
  /// Samples of each channel in the file.
  var sampleCount: Int { reader.sampleCount }
  /// Mean squares of the frames of 10 ms that were read.
  var levels: [Float] { meter.meanSquares }

  private let reader: AudioFileReader
  private var meter: LevelMeter

  init(_ input: SessionInput, path: String) throws(AudioFileError) {
    self.input = input
    reader = try AudioFileReader(path: path)
    format = reader.format
    meter = LevelMeter(reader.format)
  }

  /// The next samples, fewer at the end of the file, none behind it.
  func read(frames: Int) throws(AudioFileError) -> Data {
    let samples = try reader.read(samples: frames * format.rate.samplesPerFrame)
    meter.append(samples)
    return Data(samples)
  }

  /// The next samples, with silence after the end of the file.
  func readPadded(frames: Int) throws(AudioFileError) -> Data {
    var samples = try read(frames: frames)
    let count = frames * format.rate.samplesPerFrame * format.bytesPerSampleFrame
    samples.append(contentsOf: repeatElement(0, count: count - samples.count))
    return samples
  }
}
