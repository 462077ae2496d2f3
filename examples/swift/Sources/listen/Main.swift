import Foundation
import LiveVoice
import VoiceClient

/// Sends ten seconds of noise as the microphone, and says when the server hears a voice in it.
@main
enum Main {
  static func main() async throws {
    let server = CommandLine.arguments.dropFirst().first ?? "127.0.0.1:50051"
    let capabilities = try await VoiceProcessingClient(server: server).capabilities()
    print("\(server) runs Anechoic \(capabilities.version)")

    let options = LiveVoiceOptions(server: server, microphone: .init(sampleRate: 16000))
    let voice = try LiveVoice(options)
    var output = [Float](repeating: 0, count: 160)
    for _ in 0..<1000 {
      let microphone = (0..<160).map { _ in Float.random(in: -0.01...0.01) }
      microphone.withUnsafeBufferPointer { voice.push(microphone: $0) }
      _ = output.withUnsafeMutableBufferPointer { voice.pull(into: $0) }
      while let event = voice.nextEvent() { print(event) }
      try await Task.sleep(for: .milliseconds(10))
    }
    voice.close()
  }
}
