internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import Foundation
internal import SessionWire
internal import SwiftProtobuf

/// The files that a job sends at the same time. The session is as long as the microphone's file, or
/// endless if the files are repeated.
struct InputFiles {
  /// The time by which the reference may end before the microphone.
  private static let tolerance = Duration.milliseconds(500)

  private let microphone: InputFile
  private let others: [InputFile]
  /// The far ends that have names.
  private let farEnds: [(id: String, file: InputFile)]

  /// Opens the files. An input without a path is not part of the session. `repeating` starts all
  /// files again, without a gap, whenever the microphone's file ends. `asOpus` sends Opus packets.
  init(
    microphone: String, others: [(input: SessionInput, path: String?)],
    farEnds: [(id: String, path: String)], repeating: Bool,
    asOpus: Bool
  ) throws(AudioFileError) {
    self.microphone = try InputFile(.microphone, path: microphone, asOpus: asOpus)
    if repeating { self.microphone.repeats(as: self.microphone) }
    var files: [InputFile] = []
    for (input, path) in others {
      guard let path else { continue }
      let file = try InputFile(input, path: path, asOpus: asOpus)
      if repeating { file.repeats(as: self.microphone) }
      files.append(file)
    }
    self.others = files
    var named: [(id: String, file: InputFile)] = []
    for (id, path) in farEnds {
      let file = try InputFile(.farEnd, path: path, asOpus: false)
      if repeating { file.repeats(as: self.microphone) }
      named.append((id, file))
    }
    self.farEnds = named
  }

  var microphoneFormat: AudioFormat { microphone.format }

  /// The number of samples of each channel in the microphone's file.
  var sampleCount: Int { microphone.sampleCount }

  /// The lengths of the reference and the microphone if the reference ends too early, otherwise
  /// nil.
  var shortReference: (length: Duration, microphone: Duration)? {
    guard let length = file(of: .reference)?.duration,
      length + Self.tolerance < microphone.duration
    else { return nil }
    return (length, microphone.duration)
  }

  /// The format of the playback: the far end's format, or the microphone's if there is no far end. With
  /// named far ends, it has the highest of their rates. With them and with spatial audio, it has two
  /// channels.
  func playbackFormat(isSpatial: Bool) -> AudioFormat {
    var format = (file(of: .farEnd) ?? microphone).format
    if isSpatial { format.channelCount = 2 }
    guard let highest = farEnds.map(\.file.format.rate).max() else { return format }
    return AudioFormat(encoding: format.encoding, rate: highest, channelCount: 2)
  }

  /// Announces the formats of the inputs in the start of the session.
  func announce(in inputs: inout Anechoic_V1_Start.Inputs) {
    for file in [microphone] + others {
      inputs[keyPath: file.input.format] = Anechoic_V1_AudioFormat(file.sentFormat)
    }
    inputs.farEnds = farEnds.map { farEnd in
      .with {
        $0.farEndID = farEnd.id
        $0.format = Anechoic_V1_AudioFormat(farEnd.file.format)
      }
    }
  }

  /// The levels of the frames that were read last.
  struct RecentLevelsOfInputs {
    var microphone: RecentLevels
    /// The reference, or the far end if there is no reference. Nil if there is neither.
    var played: RecentLevels?
  }

  var recentLevels: RecentLevelsOfInputs {
    RecentLevelsOfInputs(
      microphone: microphone.recentLevels, played: playedFile?.recentLevels)
  }

  /// The loudness of the files, as far as they have been read.
  var levels: SentLevels {
    let reference = file(of: .reference)
    return SentLevels(
      microphone: microphone.meter.meanSquares,
      played: playedFile?.meter.meanSquares,
      referenceLag: reference.flatMap { reference in
        ReferenceLag(microphone: microphone.meter.curve, reference: reference.meter.curve)
      })
  }

  /// Returns the next audio of every input, or nil at the end of the microphone's file.
  func read(frames: Int) throws(AudioFileError) -> Anechoic_V1_AudioInput? {
    let samples = try microphone.read(frames: frames, padded: false)
    guard !samples.isEmpty else { return nil }
    var audio = Anechoic_V1_AudioInput()
    audio.microphone.samples = samples
    for file in others {
      audio[keyPath: file.input.chunk].samples = try file.read(frames: frames, padded: true)
    }
    for (id, file) in farEnds {
      var farEnd = Anechoic_V1_FarEndAudio()
      farEnd.farEndID = id
      farEnd.audio.samples = try file.read(frames: frames, padded: true)
      audio.farEnds.append(farEnd)
    }
    return audio
  }

  /// The file with the sound that the loudspeaker plays.
  private var playedFile: InputFile? { file(of: .reference) ?? file(of: .farEnd) }

  private func file(of input: SessionInput) -> InputFile? {
    others.first { $0.input == input }
  }
}

/// The loudness of the audio that a job sent.
struct SentLevels: Sendable {
  /// The mean square of each microphone frame of 10 ms.
  var microphone: [Float]
  /// The mean square of each frame of the reference, or of the far end if there is no reference.
  /// Nil if there is neither.
  var played: [Float]?
  /// The delay of the echo. Nil if the reference cannot be found in the microphone.
  var referenceLag: ReferenceLag?
}

/// One of the inputs that a session can have, and its place in the messages.
enum SessionInput {
  case microphone
  case reference
  case farEnd
  case otherAudio

  var chunk: WritableKeyPath<Anechoic_V1_AudioInput, Anechoic_V1_AudioChunk> {
    switch self {
    case .microphone: \.microphone
    case .reference: \.reference
    case .farEnd: \.farEnd
    case .otherAudio: \.otherAudio
    }
  }

  var format: WritableKeyPath<Anechoic_V1_Start.Inputs, Anechoic_V1_AudioFormat> {
    switch self {
    case .microphone: \.microphone
    case .reference: \.reference
    case .farEnd: \.farEnd
    case .otherAudio: \.otherAudio
    }
  }
}

/// A file that is sent as an input of a session.
private final class InputFile {
  let input: SessionInput
  let recentLevels = RecentLevels()
  private(set) var meter: LevelMeter
  private let reader: AudioFileReader
  /// Nil if the samples are sent as they are.
  private var packets: PacketWriter?
  /// The length of the file at whose end this file starts again. Nil if this file is read once.
  private var leader: (sampleCount: Int, hertz: Int)?
  private var pass = 0
  /// The number of samples of each channel that were read in this pass.
  private var position = 0

  init(_ input: SessionInput, path: String, asOpus: Bool) throws(AudioFileError) {
    self.input = input
    reader = try AudioFileReader(path: path)
    if asOpus {
      guard OpusSettings.sampleRates.contains(reader.format.rate) else {
        throw AudioFileError(
          path: path,
          problem: "\(reader.format.rate.hertz) Hz is not a rate of Opus; use a file with one of "
            + OpusSettings.sampleRates.map { String($0.hertz) }.joined(separator: ", ") + " Hz")
      }
      packets = PacketWriter(reader.format)
    }
    meter = LevelMeter(reader.format, withCurve: [.microphone, .reference].contains(input))
  }

  var format: AudioFormat { reader.format }
  /// The format in which the samples are sent.
  var sentFormat: AudioFormat {
    packets == nil ? format : .opus(format.rate, channelCount: format.channelCount)
  }
  var sampleCount: Int { reader.sampleCount }
  var duration: Duration { format.rate.duration(ofSamples: sampleCount) }

  /// Makes this file start again each time that `leader` ends.
  func repeats(as leader: InputFile) {
    self.leader = (leader.sampleCount, leader.format.rate.hertz)
  }

  /// Returns the next samples, or a packet of them. After the end of a file that is not repeated, returns silence if
  /// `padded` is true, and otherwise nothing.
  func read(frames: Int, padded: Bool) throws(AudioFileError) -> Data {
    let count = frames * format.rate.samplesPerFrame
    var samples =
      if let leader { try readRepeated(count, as: leader) } else { try reader.read(samples: count) }
    if padded { pad(&samples, to: count) }
    for level in meter.append(samples) { recentLevels.append(level) }
    guard !samples.isEmpty, packets != nil else { return Data(samples) }
    return packets?.packet(samples) ?? Data()
  }

  private func readRepeated(
    _ count: Int, as leader: (sampleCount: Int, hertz: Int)
  ) throws(AudioFileError) -> [UInt8] {
    /// Returns the sample at which the passes end, computed from the start so that rounding does
    /// not accumulate.
    func end(ofPasses passes: Int) -> Int {
      passes * leader.sampleCount * format.rate.hertz / leader.hertz
    }
    var samples: [UInt8] = []
    var missing = count
    while missing > 0 {
      let passLength = end(ofPasses: pass + 1) - end(ofPasses: pass)
      let part = min(missing, passLength - position)
      samples += try reader.read(samples: part)
      missing -= part
      pad(&samples, to: count - missing)
      position += part
      if position == passLength {
        try reader.rewind()
        (pass, position) = (pass + 1, 0)
      }
    }
    return samples
  }

  /// Adds silence up to `count` samples of each channel.
  private func pad(_ samples: inout [UInt8], to count: Int) {
    samples += repeatElement(0, count: count * format.bytesPerSampleFrame - samples.count)
  }
}
