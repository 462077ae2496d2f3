internal import Foundation
internal import Synchronization

/// ALSA devices for a machine without a sound card: null sinks of a private PulseAudio, and an ALSA
/// configuration that uses them.
///
/// All sinks run at 48 kHz:
///
/// - `spk` and `spk2` (2 channels) are loudspeakers.
/// - `micbus` and `micbus2` (1 channel) are played into, and their microphones hear this sound.
/// - Programs play the far end into `farbus` and record the processed voice from
///   `voicebus.monitor`.
///
/// ALSA devices for capture are `vmic`, `vmic2`, `vref`, `vref2` (the loudspeaker signal), `farin`
/// and `voicein`. Devices for playback are `vspk`, `vspk2`, `micbus`, `micbus2`, `farbus` and
/// `voiceout`. `headset` and `headset2` are both. The mixers are `vmic`, `vspk`, `headset`, and the
/// same names with a 2.
///
/// Every function blocks until its effect has happened.
public final class SoundRig: Sendable {
  /// The rate of the clock of captured sound relative to that of played sound.
  public let captureClock: Double
  /// The variables that programs need to find the devices, in addition to their own environment.
  public let environment: [String: String]
  private let directory: String
  let servers: [SoundServer]

  /// The programs that the rig needs and this machine lacks.
  public static var missingTools: [String] { Tools.missing() }

  /// Starts the rig. Returns when sound flows. If `captureClock` is not 1, the microphones' buses
  /// are in a second server, whose clock is faster by this factor. Throws `SoundRigUnavailableError` if
  /// programs are missing.
  public init(captureClock: Double = 1) throws {
    var missing = Tools.missing()
    if captureClock != 1, Tools.fakeTimeLibrary() == nil { missing.append("libfaketime") }
    guard missing.isEmpty else { throw SoundRigUnavailableError(missing: missing) }
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

  /// Ends the programs of the rig and removes its files.
  public func stop() {
    for server in servers { server.end() }
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Makes the devices available to this process. Call it before the first use of ALSA, and while
  /// no other thread reads the environment.
  public func adopt() {
    for (key, value) in environment { setenv(key, value, 1) }
  }

  /// Returns the PulseAudio address of the server of a sink, or of a monitor such as
  /// "name.monitor".
  public func serverAddress(of device: String) -> String { server(of: device).socket }

  func server(of device: String) -> SoundServer { Self.server(of: device, servers) }

  /// Returns the rate of a sink's clock relative to that of played sound.
  func clock(of sink: String) -> Double { RigDevices.isOfCapture(sink) ? captureClock : 1 }

  /// Waits until each microphone's bus delivers sound.
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

  /// The path must be short, because the path of a socket has at most 107 bytes.
  private static func temporaryDirectory() throws -> String {
    var template = Array("\(NSTemporaryDirectory())/sound-rig-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SoundRigError("no temporary directory") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A failure of the rig. The description says what failed.
public struct SoundRigError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The programs that the rig needs and this machine lacks.
public struct SoundRigUnavailableError: Error, CustomStringConvertible {
  public let missing: [String]

  public var description: String {
    "no sound rig without \(missing.joined(separator: ", ")): see scripts/bootstrap"
  }
}

/// The programs that the rig uses.
public enum Tools {
  static let names = ["pulseaudio", "pactl", "pacat", "parec"]

  /// Returns the names that no folder of PATH contains.
  static func missing(_ names: [String] = names) -> [String] {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return names.filter { name in
      !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
  }

  /// Returns the path of Debian's libfaketime for programs with several threads, for any
  /// architecture.
  public static func fakeTimeLibrary() -> String? {
    let root = "/usr/lib"
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return (folders.map { "\(root)/\($0)" } + [root])
      .map { "\($0)/faketime/libfaketimeMT.so.1" }
      .first { FileManager.default.fileExists(atPath: $0) }
  }
}
