internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import Foundation
internal import SessionConversions

/// The files that a job sends side by side: it is as long as the microphone's.
struct InputFiles {
  private let microphone: InputFile
  private let others: [InputFile]

  /// Opens the files; an input without a path never comes.
  init(
    microphone: String, others: [(input: SessionInput, path: String?)]
  ) throws(AudioFileError) {
    self.microphone = try InputFile(.microphone, path: microphone)
    var files: [InputFile] = []
    for (input, path) in others {
      if let path { files.append(try InputFile(input, path: path)) }
    }
    self.others = files
  }

  var microphoneFormat: AudioFormat { microphone.format }

  /// Samples of each channel of the microphone.
  var sampleCount: Int { microphone.sampleCount }

  /// Of what the session has to play: the far end's, or else the microphone's.
  var playbackFormat: AudioFormat { (file(of: .farEnd) ?? microphone).format }

  /// The formats for a start.
  var formats: Anechoic_V1_Start.Inputs {
    ([microphone] + others).reduce(into: Anechoic_V1_Start.Inputs()) { inputs, file in
      inputs[keyPath: file.input.format] = Anechoic_V1_AudioFormat(file.format)
    }
  }

  /// How loud all was that has been read. What the loudspeaker plays is the reference, or the far
  /// end where that is left out.
  var levels: SentLevels {
    SentLevels(
      microphone: microphone.levels,
      played: (file(of: .reference) ?? file(of: .farEnd))?.levels)
  }

  /// The next audio of one instant; nil at the end of the microphone.
  func read(frames: Int) throws(AudioFileError) -> Anechoic_V1_AudioInput? {
    let samples = try microphone.read(frames: frames)
    guard !samples.isEmpty else { return nil }
    var audio = Anechoic_V1_AudioInput()
    audio.microphone.samples = samples
    for file in others {
      audio[keyPath: file.input.chunk].samples = try file.readPadded(frames: frames)
    }
    return audio
  }

  private func file(of input: SessionInput) -> InputFile? {
    others.first { $0.input == input }
  }
}

/// The power of what was sent, mean squares of frames of 10 ms.
struct SentLevels: Sendable {
  var microphone: [Float]
  /// Nil where nothing is played.
  var played: [Float]?
}
