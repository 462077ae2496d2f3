internal import ALSADevices
internal import ArgumentParser
internal import AudioDevices
internal import CommandLineSupport

/// Lists what `--input` and `--output` can name.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List this machine's sound devices by their ALSA names.")

  func run() throws {
    let devices: [DeviceDescription]
    do { devices = try ALSASystem().devices() } catch { throw CommandFailure(error.description) }
    if devices.isEmpty { standardError("anechoic-edge: there are no sound devices\n") }
    for device in devices {
      let directions =
        device.directions.count == 2
        ? "capture, playback" : device.directions.first?.rawValue ?? ""
      print("\(device.name)  [\(directions)]  \(device.summary)")
    }
  }
}
