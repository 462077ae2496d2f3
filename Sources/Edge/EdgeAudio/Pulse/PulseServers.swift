/// The PulseAudio server of this desktop. PipeWire offers the same interface.
public struct PulseServers: StreamServers {
  private let address: String?

  /// Creates the server with an address such as `unix:/run/user/1000/pulse/native`. Nil is the default
  /// server of the user.
  public init(address: String? = nil) { self.address = address }

  public func connect() throws(StreamServerError) -> any StreamServer {
    try PulseServer(address: address)
  }
}
