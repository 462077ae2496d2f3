internal import Foundation
internal import GRPCTransport

/// Runs an echo server on GRPCTransport. It listens on a free port of 127.0.0.1, prints the port,
/// and stops when its standard input ends.
@main
enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.isEmpty || arguments.count == 2 && arguments.first == "--queues",
      let queues = Int(arguments.last ?? "1"), queues > 0
    else {
      FileHandle.standardError.write(Data("error: usage: EchoServerSwift [--queues N]\n".utf8))
      exit(64)
    }
    let method = Method(service: "anechoic.benchmark.Echo", name: "Echo")
    let server = try Server(
      options: Server.Options(addresses: ["127.0.0.1:0"], queueCount: queues),
      methods: [ServerMethod(method) { EchoHandler($0) }])
    print("listening on \(server.addresses[0])")
    fflush(nil)
    while readLine() != nil {}
    // Exits on the main thread, because valgrind crashes at the end of an asynchronous main.
    _exit(0)
  }
}
