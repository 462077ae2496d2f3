internal import CALSA
internal import Glibc

extension ALSASystem {
  /// Returns the names that ALSA's configuration and the cards provide.
  public func devices() throws(DeviceError) -> [DeviceDescription] {
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    let code = snd_device_name_hint(-1, "pcm", &hints)
    guard code >= 0, let hints else {
      throw DeviceError(
        .failed, "cannot list the sound devices: \(String(cString: snd_strerror(code)))")
    }
    defer { snd_device_name_free_hint(hints) }
    var devices: [DeviceDescription] = []
    var next = hints
    while let hint = next.pointee {
      next += 1
      guard let name = text(hint, "NAME"), name != "null" else { continue }
      let directions: Set<DeviceDirection> =
        switch text(hint, "IOID") {
        case "Input": [.capture]
        case "Output": [.playback]
        default: [.capture, .playback]
        }
      let summary = (text(hint, "DESC") ?? "").replacing("\n", with: ", ")
      devices.append(DeviceDescription(name: name, summary: summary, directions: directions))
    }
    return devices
  }

  private func text(_ hint: UnsafeMutableRawPointer, _ id: String) -> String? {
    guard let text = snd_device_name_get_hint(hint, id) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
