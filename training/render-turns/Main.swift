internal import AudioCore
internal import BundledEngines
internal import Foundation
internal import VoiceEngines
internal import VoiceSessions

/// Runs scenes through sessions that detect turns. Reads scenes from standard input: the number of
/// frames as Int32, 1 if there is a reference or 0, the samples of the microphone and then, if any,
/// of the reference, in f32 at 16 kHz. For each frame of a scene, writes the features of the turn
/// network and its scores (speech, backchannel, no speech, end), in f32.
@main
enum RenderTurns {
  static func main() throws {
    guard CommandLine.arguments.count == 2,
      let engine = try? EngineCatalog.bundled.engine(named: CommandLine.arguments[1])
    else {
      FileHandle.standardError.write(Data("usage: render-turns ENGINE\n".utf8))
      exit(64)
    }
    while let header = try FileHandle.standardInput.read(upToCount: 8), header.count == 8 {
      let numbers = header.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
      let run = try SceneRun(engine, hasReference: numbers[1] != 0)
      let size = Int(numbers[0]) * run.frameSize
      let microphone = try read(size)
      try run.process(microphone, reference: numbers[1] != 0 ? try read(size) : nil)
      run.output.withUnsafeBytes { FileHandle.standardOutput.write(Data($0)) }
    }
  }

  private static func read(_ size: Int) throws -> Data {
    var data = Data()
    while data.count < size,
      let part = try FileHandle.standardInput.read(upToCount: size - data.count), !part.isEmpty
    {
      data.append(part)
    }
    return data
  }
}

/// A scene and what a session finds in it.
final class SceneRun: SessionSink {
  private(set) var output: [Float] = []
  let frameSize = SampleRate.hz16000.samplesPerFrame * MemoryLayout<Float>.size
  private let session: VoiceSession

  init(_ engine: any VoiceEngine.Type, hasReference: Bool) throws {
    let format = AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 1)
    var setup = SessionSetup(microphone: format, reference: hasReference ? format : nil)
    setup.isRealTime = false
    setup.configuration.turns.isEnabled = true
    session = try VoiceSession(setup, engine: engine)
  }

  func process(_ microphone: Data, reference: Data?) throws {
    var features = [Float](repeating: 0, count: VoiceSession.turnFeatureCount)
    for first in stride(from: 0, to: microphone.count, by: frameSize) {
      let range = first..<min(first + frameSize, microphone.count)
      if let reference { try append(reference[range], to: .reference) }
      try append(microphone[range], to: .microphone)
      session.process(sink: self)
      if let scores = session.copyTurnFeatures(to: &features) {
        output += features + [scores.speech, scores.backchannel, scores.notSpeech, scores.end]
      }
    }
  }

  private func append(_ samples: Data, to input: InputKind) throws {
    try samples.withUnsafeBytes {
      try session.append($0, to: input, firstSample: nil, gap: .unspecified, sink: self)
    }
  }

  func emit(_ chunk: OutputChunk) {}
  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
