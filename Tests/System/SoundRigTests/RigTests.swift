import Foundation
import SoundRig
import Testing

/// The devices of the rig and their sound.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct RigTests {
  @Test func aToneIntoTheMicrophonesBusIsRecordedFromItsMonitor() throws {
    let rig = try SoundRig()
    let recording = try rig.record(from: "micbus.monitor")
    let other = try rig.record(from: "spk.monitor")
    let playing = try rig.play(tone(seconds: 0.5), into: "micbus")
    #expect(playing.wait())
    let samples = recording.stop()
    let heard = samples.filter { $0 != 0 }.count
    #expect((22900...24100).contains(heard))
    #expect(abs(power(of: samples, at: 1000) - 0.5 * 24000) < 200)
    #expect(other.stop().allSatisfy { $0 == 0 })
  }

  @Test func aForeignProgramCapturesByALSAWithTheRigsEnvironment() throws {
    let rig = try SoundRig()
    let playing = try rig.play(tone(seconds: 3), into: "micbus")
    defer { playing.stop() }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "arecord", "--quiet", "--device=vmic", "--duration=1", "--format=FLOAT_LE", "--rate=48000",
      "--file-type=raw",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(rig.environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(bytes.count == 4 * 48000)
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(power(of: samples, at: 1000) > 0.25 * 48000)
  }
}

/// Returns 1 kHz with an amplitude of 0.5.
func tone(seconds: Double) -> [Float] {
  (0..<Int(seconds * 48000)).map { 0.5 * sin(2 * .pi * 1000 * Float($0 % 48) / 48000) }
}

/// Returns the sum of the amplitudes at a frequency in pieces of 10 ms.
func power(of samples: [Float], at hertz: Float) -> Float {
  stride(from: 0, to: samples.count - 479, by: 480).reduce(0) { sum, start in
    var (real, imaginary): (Float, Float) = (0, 0)
    for index in 0..<480 {
      let phase = 2 * Float.pi * hertz * Float(index) / 48000
      real += samples[start + index] * cos(phase)
      imaginary += samples[start + index] * sin(phase)
    }
    return sum + 2 * (real * real + imaginary * imaginary).squareRoot()
  }
}
