internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport

struct ServerOption: ParsableArguments {
  @Option(help: "The server: HOST:PORT or unix:PATH.")
  var server = "127.0.0.1:50051"
}

extension CommandFailure {
  /// What a server, or the way to it, answered.
  init(_ status: Status, server: String) {
    self.init("\(server): \(status)")
  }
}
