internal import AnechoicEngine
internal import AudioCore
internal import Foundation
internal import VoiceEngines

/// Reads frames of 160 samples of f32 from standard input, and writes for each frame 160 samples of the
/// engine's output with one voice isolated, the probability of this voice, and whether it talks (0 or
/// 1), all f32. Other stages than the suppression of noise are off, and there is no reference.
/// `--enroll N` uses the first N frames to learn the voice, and then begins a new call with it; for
/// those frames nothing is written. `--off` does not isolate.
@main
enum RenderIsolation {
  static func main() throws {
    var words = Array(CommandLine.arguments.dropFirst())
    var settings = EngineSettings(
      noiseSuppression: .high, highPassFilter: true, isolatesVoice: true)
    var enrolled = 0
    while let word = words.first {
      words.removeFirst()
      if word == "--off" {
        settings.isolatesVoice = false
      } else if word == "--enroll", let count = words.first.flatMap({ Int($0) }) {
        words.removeFirst()
        enrolled = count
      } else {
        FileHandle.standardError.write(Data("usage: render-isolation [--enroll N] [--off]\n".utf8))
        exit(64)
      }
    }
    let engine = try AnechoicVoiceEngine(format: format, settings: settings)
    if enrolled > 0 {
      engine.isolate(try learn(enrolled))
    }
    try render(engine) { findings, output in
      let values: [Float] =
        Array(UnsafeBufferPointer(start: output, count: format.rate.samplesPerFrame))
        + [findings.speechProbability, findings.hasVoice ? 1 : 0]
      values.withUnsafeBytes { FileHandle.standardOutput.write(Data($0)) }
    }
  }

  private static let format = EngineFormat(rate: .hz16000, channelCount: 1)

  /// Returns the voiceprint of the voice in the next frames, or nil if there is too little of it.
  private static func learn(_ frames: Int) throws -> [Float]? {
    let engine = try AnechoicVoiceEngine(
      format: format, settings: EngineSettings(noiseSuppression: .high, highPassFilter: true))
    engine.beginEnrollment()
    try render(engine, atMost: frames) { _, _ in }
    let progress = engine.enrollment
    FileHandle.standardError.write(
      Data("frames \(progress?.frames ?? 0) consistency \(progress?.consistency ?? 0)\n".utf8))
    return engine.enrolledVoiceprint.isEmpty ? nil : engine.enrolledVoiceprint
  }

  /// Lets an engine process the frames of the input.
  private static func render(
    _ engine: AnechoicVoiceEngine, atMost most: Int = .max,
    _ write: (FrameFindings, UnsafePointer<Float>) -> Void
  ) throws {
    let microphone = frame()
    let reference = frame()
    let output = frame()
    let size = format.rate.samplesPerFrame * MemoryLayout<Float>.size
    var count = 0
    while count < most, let data = try FileHandle.standardInput.read(upToCount: size),
      data.count == size
    {
      count += 1
      data.withUnsafeBytes {
        UnsafeMutableRawPointer(microphone.planePointers[0]).copyMemory(
          from: $0.baseAddress!, byteCount: size)
      }
      let findings = engine.process(
        microphone: microphone, reference: reference, conditions: EchoConditions(), into: output)
      write(findings, UnsafePointer(output.planePointers[0]))
    }
  }

  private static func frame() -> Frame { Frame(rate: format.rate, channelCount: 1) }
}
