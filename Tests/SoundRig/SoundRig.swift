internal import Foundation
internal import Synchronization

/// Gives a machine without a sound card ALSA devices: null sinks of a PulseAudio of its own, which
/// nobody else hears, and an ALSA configuration that leads there.
///
/// Sinks, all at 48 kHz: `spk` and `spk2` (2 channels) are loudspeakers; what is played into
/// `micbus` and `micbus2` (1 channel) is what their microphones hear; programs play the far end into
/// `farbus` and record the processed voice from `voicebus.monitor`. ALSA devices: captures `vmic`,
/// `vmic2`, `vref`, `vref2` (what the loudspeaker plays), `farin` and `voicein`; playbacks `vspk`,
/// `vspk2`, `micbus`, `micbus2`, `farbus` and `voiceout`; both, `headset` and `headset2`. Mixers:
/// `vmic`, `vspk`, `headset` and their seconds.
///
/// Its calls block until what they ask for has happened.
public final class SoundRig: Sendable {
  /// Of captured sound to that of played sound.
  public let captureClock: Double
  /// What programs need to find the devices, besides their own environment.
  public let environment: [String: String]
  private let directory: String
  let servers: [SoundServer]

  /// Whether this machine has what the rig needs, and what it has not.
  public static var missingTools: [String] { Tools.missing() }

  /// Returns when sound flows. With a capture clock other than 1 the microphones' buses live in a
  /// second server, whose time runs so much the faster. Throws `SoundRigUnavailable` where programs
  /// are missing.
  public init(captureClock: Double = 1) throws {
    var missing = Tools.missing()
    if captureClock != 1, Tools.fakeTimeLibrary() == nil { missing.append("libfaketime") }
    guard missing.isEmpty else { throw SoundRigUnavailable(missing: missing) }
    self.captureClock = captureClock
    directory = try Self.temporaryDirectory()
    servers = try Self.servers(in: directory, captureClock: captureClock)
    var environment = servers[0].variables
    for key in ["PATH", "HOME", "XDG_RUNTIME_DIR"] { environment[key] = nil }
    environment["ALSA_CONFIG_PATH"] = "\(directory)/asound.conf"
    self.environment = environment
    try RigDevices.configuration { [servers] in Self.server(of: $0, servers).socket }
      .write(toFile: "\(directory)/asound.conf", atomically: true, encoding: .utf8)
    for server in servers { try server.start() }
    try awaitFlow()
  }

  deinit { stop() }

  /// Ends what the rig started, and removes its files.
  public func stop() {
    for server in servers { server.end() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Lets this process itself use the devices. Before its first use of ALSA, and while no other
  /// thread reads the environment.
  public func adopt() {
    for (key, value) in environment { setenv(key, value, 1) }
  }

  /// The PulseAudio address where a sink lives, of its own or as "name.monitor".
  public func serverAddress(of device: String) -> String { server(of: device).socket }

  func server(of device: String) -> SoundServer { Self.server(of: device, servers) }

  /// Of a sink to that of played sound.
  func clock(of sink: String) -> Double { RigDevices.isOfCapture(sink) ? captureClock : 1 }

  /// Waits until each microphone's bus gives sound.
  func awaitFlow() throws {
    for source in ["micbus.monitor", "spk.monitor"] {
      let recording = try record(from: source)
      defer { _ = recording.stop() }
      guard recording.wait(forSamples: 4800, within: .seconds(15)) else {
        throw SoundRigError("no sound comes of \(source)")
      }
    }
  }

  private static func server(of device: String, _ servers: [SoundServer]) -> SoundServer {
    let sink = RigDevices.sink(of: device)
    return servers.first { $0.sinks.contains { $0.name == sink } } ?? servers[0]
  }

  private static func servers(
    in directory: String, captureClock: Double
  ) throws -> [SoundServer] {
    let parts: [([(name: String, channels: Int)], Double)] =
      captureClock == 1
      ? [(RigDevices.sinks, 1)]
      : [
        (RigDevices.sinks.filter { !RigDevices.isOfCapture($0.name) }, 1),
        (RigDevices.sinks.filter { RigDevices.isOfCapture($0.name) }, captureClock),
      ]
    return try parts.enumerated().map { index, part in
      let own = "\(directory)/\(index)"
      try FileManager.default.createDirectory(
        atPath: own, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      return SoundServer(directory: own, sinks: part.0, speed: part.1)
    }
  }

  /// With a short path: a socket's has at most 107 bytes.
  private static func temporaryDirectory() throws -> String {
    var template = Array("\(NSTemporaryDirectory())/sound-rig-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SoundRigError("no temporary directory") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
