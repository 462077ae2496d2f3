internal import Glibc

/// What may happen to devices. Each call returns when it has happened.
extension SoundRig {
  /// The servers stand still, as on an overloaded machine: clients see no error.
  public func suspendDaemon() { for server in servers { server.send(SIGSTOP) } }

  public func resumeDaemon() { for server in servers { server.send(SIGCONT) } }

  /// The servers are gone without a word.
  public func killDaemon() { for server in servers { server.end(SIGKILL) } }

  /// The same devices at the same addresses, and sound flows.
  public func restartDaemon() throws {
    for server in servers { try server.start() }
    try awaitFlow()
  }

  /// The device is gone. PulseAudio moves its clients to others of the same server.
  public func unload(_ device: String) throws {
    try server(of: device).unload(RigDevices.sink(of: device))
  }

  public func load(_ device: String) throws {
    try server(of: device).load(RigDevices.sink(of: device))
  }

  /// It plays nothing, and its monitor gives nothing: clients see no error.
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
