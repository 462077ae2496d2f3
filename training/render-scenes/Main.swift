internal import AnechoicEngine
internal import AudioCore
internal import Foundation

/// Reads frames of 160 samples of the microphone and 160 of the reference from standard input, all
/// f32. For each frame, writes the outputs of the engine: 320 samples, the output of the linear
/// canceller for the frame before and for this one; three rows of 80 gains, for echo, noise and
/// competing voices; and the probability of a voice. With `--linear`, writes only the 320 samples,
/// in a third of the time.
@main
enum RenderScenes {
  static func main() throws {
    let isLinear = CommandLine.arguments.dropFirst(2) == ["--linear"]
    guard CommandLine.arguments.count == 2 || isLinear else {
      FileHandle.standardError.write(Data("usage: render-scenes WEIGHTS [--linear]\n".utf8))
      exit(64)
    }
    var probe: NetworkProbe
    do {
      let bytes = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
      probe = try NetworkProbe(bytes.withUnsafeBytes { try WeightFile($0) })
    } catch {
      let cause = (error as? WeightFile.FormatError)?.description ?? error.localizedDescription
      FileHandle.standardError.write(Data("\(CommandLine.arguments[1]): \(cause)\n".utf8))
      exit(2)
    }
    let hop = NetworkProbe.hop
    var output = [Float](repeating: 0, count: isLinear ? 2 * hop : NetworkProbe.valueCount)
    let size = 2 * hop * MemoryLayout<Float>.size
    while let data = try FileHandle.standardInput.read(upToCount: size), data.count == size {
      data.withUnsafeBytes { bytes in
        let microphone = bytes.bindMemory(to: Float.self).baseAddress!
        if isLinear {
          probe.removeEcho(microphone: microphone, reference: microphone + hop, into: &output)
        } else {
          probe.process(microphone: microphone, reference: microphone + hop, into: &output)
        }
      }
      output.withUnsafeBytes { FileHandle.standardOutput.write(Data($0)) }
    }
  }
}
