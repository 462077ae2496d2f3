/// The names of the rig's devices: the sinks of its server, and the ALSA devices that use them.
enum RigDevices {
  /// The sinks, all at 48 kHz. A program that records a microphone hears the sound that others play
  /// into the microphone's bus.
  static let sinks: [(name: String, channels: Int)] = [
    ("spk", 2), ("micbus", 1), ("spk2", 2), ("micbus2", 1), ("farbus", 1), ("voicebus", 1),
  ]

  /// Returns whether the sink runs on the clock of captured sound.
  static func isOfCapture(_ sink: String) -> Bool { sink.hasPrefix("micbus") }

  /// Returns the sink of a device. A device is a sink or the monitor of a sink.
  static func sink(of device: String) -> String {
    device.hasSuffix(".monitor") ? String(device.dropLast(8)) : device
  }

  /// Returns ALSA's configuration, to be read after the machine's own. `server` returns the server
  /// of a sink. Each device names its server, so that a client needs only the path of this file.
  static func configuration(server: (_ sink: String) -> String) -> String {
    let devices = [
      ("vmic", "micbus.monitor"), ("micbus", "micbus"), ("vspk", "spk"), ("vref", "spk.monitor"),
      ("vmic2", "micbus2.monitor"), ("micbus2", "micbus2"), ("vspk2", "spk2"),
      ("vref2", "spk2.monitor"), ("farbus", "farbus"), ("farin", "farbus.monitor"),
      ("voiceout", "voicebus"), ("voicein", "voicebus.monitor"),
    ].map { name, device in
      """
      pcm.\(name) {
        type pulse
        server "\(server(sink(of: device)))"
        device "\(device)"
        hint { show on description "\(device) of the sound rig" }
      }
      """
    }
    let pairs = [("headset", "vspk", "vmic"), ("headset2", "vspk2", "vmic2")].map {
      """
      pcm.\($0) {
        type asym
        playback.pcm "\($1)"
        capture.pcm "\($2)"
        hint { show on description "\($1) and \($2) of the sound rig" }
      }
      """
    }
    // A control uses only one server. With two clocks, the headset's control uses the server of the
    // loudspeaker.
    let oneServer = server("micbus") == server("spk")
    let controls = [
      ("vmic", "micbus", "micbus.monitor"), ("vspk", "spk", "spk.monitor"),
      ("vmic2", "micbus2", "micbus2.monitor"), ("vspk2", "spk2", "spk2.monitor"),
      ("headset", "spk", oneServer ? "micbus.monitor" : "spk.monitor"),
      ("headset2", "spk2", oneServer ? "micbus2.monitor" : "spk2.monitor"),
    ].map { name, sink, source in
      """
      ctl.\(name) {
        type pulse
        server "\(server(sink))"
        sink "\(sink)"
        source "\(source)"
      }
      """
    }
    return (["<confdir:alsa.conf>"] + devices + pairs + controls).joined(separator: "\n") + "\n"
  }
}
