internal import AudioFiles
internal import EdgeAudio
internal import Foundation
internal import LinuxSystem
public import Settings

/// A connection to a program, as the configuration names it.
struct ProgramPlace {
  /// The path of the setting.
  let key: String
  /// The connection in words: the key, and the far end in a list of them.
  let name: String
  let endpoint: Endpoint
  let direction: DeviceDirection
  let channelCount: Int
}

extension EdgeConfiguration {
  /// The connections to programs.
  var programPlaces: [ProgramPlace] {
    func place(
      _ key: String, _ endpoint: Endpoint?, _ direction: DeviceDirection = .capture,
      of farEnd: String? = nil, channelCount: Int
    ) -> ProgramPlace? {
      let path = "programs.\(key)"
      return endpoint.map {
        ProgramPlace(
          key: path, name: farEnd.map { "the input of far end \($0) in \(path)" } ?? path,
          endpoint: $0, direction: direction, channelCount: channelCount)
      }
    }
    let single = [
      place("far_end", programs.farEnd, channelCount: programs.farEndChannels),
      place("other_audio", programs.otherAudio, channelCount: programs.otherAudioChannels),
      place("voice", programs.voice, .playback, channelCount: audio.inputChannels),
    ]
    let named = programs.farEnds.map { place("far_ends", $0.place, of: $0.id, channelCount: 1) }
    return (single + named).compactMap { $0 }
  }
}

extension LayeredValues<EdgeConfiguration> {
  /// Throws for a FIFO of two connections: two readers share its samples, and a reader of the voice
  /// plays the person to themselves. The same holds for a file that is written and read, and for a
  /// FIFO of samples that is to report keys.
  func settlePrograms() throws(SettingsError) {
    var known: [FileIdentity: ProgramPlace] = [:]
    for place in values.programPlaces {
      guard let path = place.endpoint.path else { continue }
      guard let other = known.updateValue(place, forKey: FileIdentity(path)) else { continue }
      let writes = place.direction != other.direction
      guard writes || place.endpoint.isFIFO else { continue }
      let effect =
        writes ? "the agent would hear its own voice" : "each would get a part of the samples"
      throw wrong(
        place.key,
        "\(place.endpoint)\(place.name == place.key ? "" : ", \(place.name),") is also "
          + "\(other.name): \(effect); use a place of its own for each")
    }
    for (index, path) in values.mute.keys.enumerated() {
      guard let place = known[FileIdentity(path)] else { continue }
      throw wrong(
        "mute.keys", at: index, "\(path) is also \(place.name); use a FIFO of its own for keys")
    }
  }

  /// Looks at the FIFOs and files of programs. Throws for a place with which the agent can never
  /// work. Adds a warning for one that may come later.
  public mutating func checkPrograms() throws(SettingsError) {
    for place in values.programPlaces {
      guard let problem = place.problem else { continue }
      let words = place.name == place.key ? problem.words : "\(place.name): \(problem.words)"
      guard problem.mayPass else { throw wrong(place.key, words) }
      warn(place.key, words)
    }
  }
}

extension ProgramPlace {
  /// The reason why the agent cannot use the place now. Nil if it can, and for a device.
  fileprivate var problem: (words: String, mayPass: Bool)? {
    switch endpoint {
    case .alsa: return nil
    case .fifo(let path):
      if let problem = FIFO.problem(with: path) { return ("\(path): \(problem)", false) }
      return FilePlace.problem(at: path, endpoint.delay)
    case .file(let path) where direction == .capture:
      guard FileManager.default.isReadableFile(atPath: path) else {
        return ("\(path): there is no file that this user can read", false)
      }
      return soundProblem(of: path).map { ($0, false) }
    case .file(let path):
      return AudioFileWriter.problem(at: path).map { ($0, false) }
        ?? FilePlace.problem(at: path, endpoint.delay)
    }
  }

  /// The reason why a file cannot be played. Nil for a pipe, which only the agent may read.
  private func soundProblem(of path: String) -> String? {
    guard FileIdentity.isRegular(path) else { return nil }
    do throws(AudioFileError) {
      _ = try AudioFileReader(path: path)
      return nil
    } catch {
      return error.description
    }
  }
}

extension Endpoint {
  fileprivate var isFIFO: Bool { if case .fifo = self { true } else { false } }

  /// The agent's answer to a folder that is missing.
  fileprivate var delay: String {
    isFIFO ? "the agent waits for it" : "the agent cannot write to it"
  }

  /// The path of a FIFO or a file, or nil for a device.
  fileprivate var path: String? {
    switch self {
    case .alsa: nil
    case .fifo(let path), .file(let path): path
    }
  }
}
