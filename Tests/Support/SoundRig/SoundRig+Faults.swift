internal import Glibc

/// The faults of devices. Each function returns when the fault has happened.
extension SoundRig {
  /// Suspends the servers, as on an overloaded machine. Clients see no error.
  public func suspendDaemon() { for server in servers { server.send(SIGSTOP) } }

  public func resumeDaemon() { for server in servers { server.send(SIGCONT) } }

  /// Kills the servers.
  public func killDaemon() { for server in servers { server.end(SIGKILL) } }

  /// Starts the servers again, with the same devices and addresses. Returns when sound flows.
  public func restartDaemon() throws {
    for server in servers { try server.start() }
    try awaitFlow()
  }

  /// Removes a device. PulseAudio moves its clients to other devices of the same server.
  public func unload(_ device: String) throws {
    try server(of: device).unload(RigDevices.sink(of: device))
  }

  public func load(_ device: String) throws {
    try server(of: device).load(RigDevices.sink(of: device))
  }

  /// Suspends a sink. It plays nothing, and its monitor provides nothing. Clients see no error.
  public func suspend(sink: String) throws {
    try server(of: sink).control("suspend-sink", sink, "1")
  }

  public func wake(sink: String) throws {
    try server(of: sink).control("suspend-sink", sink, "0")
  }

  public func setMute(source: String, _ isMuted: Bool) throws {
    try server(of: source).control("set-source-mute", source, isMuted ? "1" : "0")
  }

  public func setMute(sink: String, _ isMuted: Bool) throws {
    try server(of: sink).control("set-sink-mute", sink, isMuted ? "1" : "0")
  }

  public func setVolume(sink: String, percent: Int) throws {
    try server(of: sink).control("set-sink-volume", sink, "\(percent)%")
  }

  public func setVolume(source: String, percent: Int) throws {
    try server(of: source).control("set-source-volume", source, "\(percent)%")
  }
}
