import AudioCore
import AudioFiles
import Foundation
import TestAudio

/// A temporary folder with the files of a test.
final class Folder {
  /// The folder of this package.
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func data(_ name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }

  func write(_ data: Data, _ name: String) throws {
    try data.write(to: url.appendingPathComponent(name))
  }

  /// Writes babble as the far end, and its echo as the microphone.
  func writeCall(
    _ microphone: String = "microphone.wav", _ reference: String = "reference.wav",
    milliseconds: Int = 2005, rate: SampleRate = .hz16000, nearEnd: [Float]? = nil
  ) throws {
    let count = rate.hertz * milliseconds / 1000
    let farEnd = Signals.babble(count, rate: rate, seed: 3)
    let echo = Signals.echo(of: farEnd, delay: rate.hertz / 25, gain: 0.5)
    let nearEnd = nearEnd ?? Signals.babble(count, rate: rate, amplitude: 0.05, seed: 4)
    let fan = Signals.noise(count, amplitude: 0.01)
    let heard = (0..<count).map { echo[$0] + nearEnd[$0] + fan[$0] }
    try writeFiles([(microphone, heard), (reference, farEnd)], rate)
  }

  /// Writes a voice as the far end, and as the microphone its echo and a voice of the near end.
  func writeVoices(far: [Float], near: [Float] = []) throws {
    let echo = Signals.echo(of: far, delay: 640, gain: 0.5)
    let fan = Signals.noise(far.count, amplitude: 0.002)
    let heard = far.indices.map {
      echo[$0] + fan[$0] + (near.indices.contains($0) ? near[$0] : 0)
    }
    try writeFiles([("microphone.wav", heard), ("reference.wav", far)], Voices.rate)
  }

  private func writeFiles(_ files: [(name: String, plane: [Float])], _ rate: SampleRate) throws {
    let format = AudioFormat(encoding: .s16, rate: rate, channelCount: 1)
    for (name, plane) in files {
      try AudioFileWriter(path: path(name), format: format).write(encode([plane], .s16))
    }
  }

  /// Returns the number of samples of each channel.
  func sampleCount(_ name: String) throws -> Int {
    try AudioFileReader(path: path(name)).sampleCount
  }

  /// Returns the objects of a file with one JSON object on each line.
  func jsonLines(_ name: String) throws -> [[String: Any]] {
    try String(decoding: data(name), as: UTF8.self).split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return object as? [String: Any] ?? [:]
    }
  }
}

/// A server process and its address.
struct ServerProcess {
  let command: Command
  let address: String

  init(
    in folder: Folder, listening address: String = "127.0.0.1:0", options: [String] = [],
    environment: [String: String] = [:]
  ) async throws {
    // Debug builds and busy machines would refuse sessions that a test needs.
    let budget = options.contains("--frame-budget") ? [] : ["--frame-budget", "0"]
    // A default address would be taken by the server of another test.
    let http = options.contains("--http-listen") ? [] : ["--http-listen", "off"]
    command = try Command(
      "/usr/bin/env",
      environment.map { "\($0)=\($1)" }
        + [Command.path("anechoic-server"), "--listen", address, "--admin-listen", "off"]
        + budget + http + options, in: folder)
    let line = try await command.line(containing: "listening on ")
    self.address = line.split(separator: " ").last.map { String($0) } ?? ""
  }
}
