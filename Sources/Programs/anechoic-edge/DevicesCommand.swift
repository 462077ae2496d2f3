internal import ArgumentParser
internal import CommandLineSupport
internal import EdgeAudio
internal import Foundation

/// Lists the devices that `--input` and `--output` can name.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List this machine's sound devices by their ALSA names.")

  func run() throws {
    let devices: [DeviceDescription]
    do { devices = try ALSASystem().devices() } catch { throw CommandFailure(error.description) }
    if !SoundCards.exist {
      standardError(
        "anechoic-edge: this machine has no sound card; only ALSA's plug-ins are listed\n")
    }
    for device in devices {
      let directions =
        device.directions.count == 2
        ? "capture, playback" : device.directions.first?.rawValue ?? ""
      print("\(device.name)  [\(directions)]  \(device.summary)")
    }
  }
}

/// The sound cards of this machine.
enum SoundCards {
  /// Whether the kernel has at least one sound card.
  static var exist: Bool {
    let entries = try? FileManager.default.contentsOfDirectory(atPath: "/proc/asound")
    return entries?.contains { $0.hasPrefix("card") && $0 != "cards" } ?? false
  }
}
