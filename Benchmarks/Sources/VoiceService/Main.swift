internal import Foundation
internal import PassThroughEngine
internal import VoiceEngines
internal import VoiceServer
internal import WebRTCEngine

/// Runs the service with libwebrtc's engine, or with one that does nothing. It listens on a free
/// port of 127.0.0.1, prints the port, and stops when its standard input ends.
@main
enum Main {
  private static let engines: [String: any VoiceEngine.Type] = [
    "webrtc": WebRTCVoiceEngine.self, "none": PassThroughEngine.self,
  ]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 4, arguments.first == "--threads", arguments[3] == "--engine",
      let threads = Int(arguments[2]), threads > 0, let engine = engines[arguments[4]]
    else {
      FileHandle.standardError.write(
        Data("error: usage: VoiceService --threads N --engine webrtc|none\n".utf8))
      exit(64)
    }
    var configuration = ServerConfiguration(
      addresses: ["127.0.0.1:0"], threads: threads, engines: EngineCatalog(engine))
    // Under valgrind every frame is late. The sessions must not do with less processing.
    configuration.limits.frameBudget = 0
    let server = try VoiceProcessingServer(configuration)
    print("listening on \(server.addresses[0])")
    fflush(nil)
    while readLine() != nil {}
    // Exits on the main thread, because valgrind crashes at the end of an asynchronous main.
    _exit(0)
  }
}
