internal import CSoundCard
public import Foundation
internal import Synchronization

/// Sound cards for a machine without one, as PCMs and controls of ALSA that offer one format each.
/// There is no sound server. Each card has a clock of its own.
///
/// A card captures what is played on it, as `snd-aloop` does. A PCM can capture the sound of
/// another card too, through a simulated room or unchanged.
public final class SoundCards: Sendable {
  /// The encoding of a card's samples.
  public enum Coding: String, Sendable, CaseIterable {
    case s16 = "S16_LE"
    case s24 = "S24_LE"
    case s24Packed = "S24_3LE"
    case s32 = "S32_LE"
  }

  /// The variables that programs need to find the devices.
  public let environment: [String: String]
  private let folder: String
  private let configuration: Mutex<String>
  private let programs = Mutex<[Process]>([])

  /// Creates a machine without cards. `products` is the folder with the plug-in.
  public init(products: URL) throws {
    // Without spaces, which separate files in ALSA's variable.
    folder = NSTemporaryDirectory() + "sound-cards-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    environment = ["ALSA_CONFIG_PATH": "\(folder)/asound.conf"]
    let plugIn = products.appending(path: "libsoundcard.so").path
    configuration = Mutex(
      "<confdir:alsa.conf>"
        + ["pcm", "ctl"].map { "\n\($0)_type.soundcard { lib \"\(plugIn)\" }" }.joined())
  }

  deinit { stop() }

  /// Ends all programs and removes the cards.
  public func stop() {
    for program in programs.withLock({ $0 }) where program.isRunning {
      // ALSA's programs wait for their card even after other signals.
      kill(program.processIdentifier, SIGKILL)
      program.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: Cards

  /// Plugs in a card. Its clock is faster than the machine's by `partsPerMillion`.
  public func plug(
    _ card: String, channels: Int, rate: Int = 48000, partsPerMillion: Double = 0
  ) throws {
    let code = sound_card_create(
      "\(folder)/\(card)", UInt32(channels), UInt32(rate), partsPerMillion)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: -code) ?? .EIO) }
  }

  /// Unplugs a card or a control.
  public func unplug(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
  }

  /// Defines a PCM of a card.
  ///
  /// - Parameters:
  ///   - map: The positions of the channels. Nil for a card that reports none.
  ///   - hears: Another card whose sound is captured too, through a room.
  ///   - direct: The first channel, from 1, that captures this sound without the room.
  public func define(
    _ name: String, card: String, _ coding: Coding = .s16, map: String? = nil, hears: String? = nil,
    direct: Int? = nil
  ) throws {
    let keys = [
      "type soundcard", "card \"\(folder)/\(card)\"", "format \(coding.rawValue)",
      map.map { "map \"\($0)\"" }, hears.map { "hears \"\(folder)/\($0)\"" },
      direct.map { "direct \($0)" },
    ]
    try append("pcm.\(name) { \(keys.compactMap { $0 }.joined(separator: " ")) }")
  }

  /// Defines a control, which is plugged in with `set`.
  public func define(control name: String) throws {
    try append("ctl.\(name) { type soundcard file \"\(folder)/\(name)\" }")
  }

  /// Gives a control these jacks, and says whether something is in each.
  public func set(_ control: String, jacks: [(name: String, isPlugged: Bool)]) throws {
    let lines = jacks.map { "CARD 0 \($0.isPlugged ? 1 : 0) \($0.name)" }
    try Data((lines + ["MIXER 0 1 Capture Switch", ""]).joined(separator: "\n").utf8)
      .write(to: URL(filePath: "\(folder)/\(control)"), options: .atomic)
  }

  private func append(_ line: String) throws {
    let text = configuration.withLock { text in
      text += "\n\(line)\n"
      return text
    }
    try text.write(toFile: "\(folder)/asound.conf", atomically: true, encoding: .utf8)
  }

  // MARK: Programs

  /// Plays samples between -1 and 1, interleaved, with a program of its own, in the format of the
  /// PCM.
  public func play(
    _ samples: [Float], on pcm: String, _ coding: Coding = .s16, channels: Int, rate: Int = 48000
  ) throws {
    let file = "\(folder)/\(UUID().uuidString).raw"
    try coding.encoded(samples).write(to: URL(filePath: file))
    try start("aplay", ["-D", pcm] + coding.options(channels, rate) + [file])
  }

  /// Records a PCM with a program of its own.
  public func record(
    _ pcm: String, _ coding: Coding = .s16, channels: Int, rate: Int = 48000
  ) throws -> CardRecording {
    let file = "\(folder)/\(UUID().uuidString).raw"
    try start("arecord", ["-D", pcm] + coding.options(channels, rate) + [file])
    return CardRecording(file: file, coding, channels: channels)
  }

  private func start(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/\(program)")
    process.arguments = ["--quiet"] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    programs.withLock { $0.append(process) }
  }
}
