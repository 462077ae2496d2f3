internal import ArgumentParser
internal import CommandLineSupport
internal import EdgeAudio
internal import Foundation

/// Lists the devices that `--input` and `--output` can name, and the jacks that ports can name.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List this machine's sound devices and jacks by their ALSA names.")

  @Option(help: "A control that is no card, whose jacks are listed too. Repeatable.")
  var control: [String] = []

  func run() throws {
    let devices: [DeviceDescription]
    do { devices = try ALSASystem().devices() } catch { throw CommandError(error.description) }
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
    for jack in ALSASystem().jacks(of: control) {
      print("\(jack.jack)  [jack of \(jack.control)]  \(jack.isPlugged ? "plugged in" : "empty")")
    }
    if SoundCards.haveLoopback {
      standardError(
        "anechoic-edge: this machine has ALSA's loopback card; if all programs play to it, "
          + "audio.reference: alsa:plughw:CARD=Loopback,DEV=1 cancels their echo\n")
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

  /// Whether `snd-aloop` has its card.
  static var haveLoopback: Bool { FileManager.default.fileExists(atPath: "/proc/asound/Loopback") }
}
