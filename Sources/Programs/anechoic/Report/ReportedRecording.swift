internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation

/// The recording of a report: the length and the format of the microphone's file.
struct ReportedRecording {
  /// The longest recording.
  private static let longest = Duration.seconds(24 * 3600)
  /// The highest number of points of a curve.
  private static let mostPoints = 1000

  let path: String
  let format: AudioFormat
  let sampleCount: Int

  /// Throws if the file cannot be read as audio or is too long.
  init(path: String) throws(CommandError) {
    self.path = path
    do throws(AudioFileError) {
      let reader = try AudioFileReader(path: path)
      (format, sampleCount) = (reader.format, reader.sampleCount)
    } catch {
      throw CommandError(error.description)
    }
    guard format.rate.duration(ofSamples: sampleCount) <= Self.longest else {
      throw CommandError("\(path): the recording is longer than 24 h; report a part of it")
    }
  }

  /// The length in seconds.
  var duration: Double { Double(sampleCount) / Double(format.rate.hertz) }

  /// The number of frames of 10 ms, of which the last may be shorter.
  var frameCount: Int {
    (sampleCount + format.rate.samplesPerFrame - 1) / format.rate.samplesPerFrame
  }

  /// The number of frames between two points of a curve.
  func framesPerPoint(atLeast few: Int) -> Int {
    max(few, (frameCount + Self.mostPoints - 1) / Self.mostPoints)
  }

  /// The interval of statistics that gives a bounded number of them: 100 ms or longer.
  var statisticsInterval: Duration { .milliseconds(10 * framesPerPoint(atLeast: 10)) }

  /// The name of the file without its folder.
  var name: String { URL(fileURLWithPath: path).lastPathComponent }
}

/// One processing of a recording, with its settings.
struct ReportedRun {
  /// The settings in words where there are several runs, otherwise empty.
  let name: String
  let output: SoundSource
  let log: ReportLog
  let summary: JobSummary
}
