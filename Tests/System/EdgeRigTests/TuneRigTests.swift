import Foundation
import SoundRig
import Testing

/// The command that measures and flattens a loudspeaker, on the rig.
@Suite(
  .serialized, .timeLimit(.minutes(3)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct TuneRigTests {
  /// The impulse response of a small loudspeaker in a box: peaks at 350 and 2,800 Hz, and dips at 1,100
  /// and 5,000 Hz, from 8 dB above to 9 dB below.
  private static let colour: [Float] = {
    var samples = [Double](repeating: 0, count: 4800)
    samples[0] = 1
    let peaks: [(frequency: Double, gain: Double, quality: Double)] = [
      (350, 8, 1.2), (1100, -9, 2), (2800, 6, 1.5), (5000, -7, 1.2),
    ]
    for (frequency, gain, quality) in peaks {
      let omega = 2 * Double.pi * frequency / 48000
      let (alpha, amplitude) = (sin(omega) / (2 * quality), pow(10, gain / 40))
      let scale = 1 / (1 + alpha / amplitude)
      let (b0, b1) = ((1 + alpha * amplitude) * scale, -2 * cos(omega) * scale)
      let (b2, a2) = ((1 - alpha * amplitude) * scale, (1 - alpha / amplitude) * scale)
      var (s1, s2) = (0.0, 0.0)
      for index in samples.indices {
        let x = samples[index]
        let y = b0 * x + s1
        s1 = b1 * x - b1 * y + s2
        s2 = b2 * x - a2 * y
        samples[index] = y
      }
    }
    return samples.map { Float($0) }
  }()

  private struct Outcome {
    var status: Int32
    var output: String
    /// The value of a line in dB or ms.
    func value(_ key: String) -> Double? {
      output.split(separator: "\n").first { $0.hasPrefix(key) }.flatMap { line in
        line.split(separator: " ").lazy.compactMap { Double($0) }.first
      }
    }
  }

  private func tune(_ rig: SoundRig, _ arguments: [String]) async throws -> Outcome {
    let process = Process()
    process.executableURL = products.appending(path: "anechoic-edge")
    process.arguments =
      ["tune", "--product", "box", "--input", "vmic", "--output", "vspk"]
      + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(rig.environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self))
  }

  @Test func aColouredLoudspeakerIsFlattened() async throws {
    let rig = try SoundRig()
    let room = try RoomSimulator(rig, room: nil, colour: Self.colour)
    let file = FileManager.default.temporaryDirectory
      .appending(path: "tuning-\(UUID().uuidString).yaml").path
    defer {
      room.stop()
      rig.stop()
      try? FileManager.default.removeItem(atPath: file)
    }
    let absent = try await tune(rig, ["--file", file, "--check"])
    #expect(absent.status == 2 && absent.output.contains("\(file): no such file"))
    let measured = try await tune(rig, ["--file", file])
    print(measured.output)
    #expect(measured.status == 0, "\(measured.output)")
    let before = try #require(measured.value("response"))
    let delay = try #require(measured.value("delay"))
    #expect(before > 6)
    #expect(delay >= 0 && delay <= 500)
    let checked = try await tune(rig, ["--file", file, "--check"])
    print(checked.output)
    #expect(checked.status == 0, "\(checked.output)")
    let after = try #require(checked.value("response"))
    #expect(after <= 3)
  }
}
