internal import Foundation

/// A file that reports keys: an input device, a HID device, or a FIFO with the data of an input device.
enum InputDevice {
  /// The start of a setting that names an input device by its name instead of its path.
  static let namePrefix = "name:"
  /// The major number of the kernel's input devices.
  private static let inputMajor: dev_t = 13

  /// Returns the path for a setting: the path itself, or the path of the input device with a name.
  /// Nil if there is no such device. `folder` is the kernel's folder of input devices.
  static func path(of setting: String, in folder: String = "/sys/class/input") -> String? {
    guard setting.hasPrefix(namePrefix) else { return setting }
    let name = String(setting.dropFirst(namePrefix.count))
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let event = all.filter { $0.hasPrefix("event") }.sorted().first { event in
      let text = try? String(contentsOfFile: "\(folder)/\(event)/device/name", encoding: .utf8)
      return text?.trimmingCharacters(in: .newlines) == name
    }
    return event.map { "/dev/input/\($0)" }
  }

  /// Returns the reason why a setting cannot name a device, or nil if it can, or the device does not
  /// exist yet.
  static func problem(in setting: String) -> String? {
    if setting == namePrefix { return "names no device" }
    if BluetoothKeys.isNamed(by: setting) { return BluetoothKeys.problem(in: setting) }
    guard !setting.hasPrefix(namePrefix) else { return nil }
    return problem(at: setting)
  }

  /// Returns the reason why a file cannot report keys, or nil if it can or does not exist yet.
  static func problem(at path: String) -> String? {
    var info = stat()
    guard stat(path, &info) == 0 else { return errno == ENOENT ? nil : text(errno) }
    guard isInput(info) || info.st_mode & S_IFMT == S_IFIFO || hidFolder(info) != nil else {
      return "is not an input device, a HID device or a FIFO"
    }
    return access(path, R_OK) == 0 ? nil : text(errno)
  }

  /// Returns the report descriptor of a HID device, or nil for any other file.
  static func descriptor(at path: String) -> HIDDescriptor? {
    var info = stat()
    guard stat(path, &info) == 0, let folder = hidFolder(info),
      let file = FileHandle(forReadingAtPath: "\(folder)/device/report_descriptor"),
      let bytes = try? file.read(upToCount: HIDDescriptor.longest + 1)
    else { return nil }
    return HIDDescriptor(Array(bytes))
  }

  static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

  private static func isInput(_ info: stat) -> Bool {
    info.st_mode & S_IFMT == S_IFCHR && major(info) == inputMajor
  }

  /// Returns the kernel's folder of a HID device (hidraw), or nil for any other file.
  private static func hidFolder(_ info: stat) -> String? {
    guard info.st_mode & S_IFMT == S_IFCHR else { return nil }
    let minor = info.st_rdev & 0xff | (info.st_rdev >> 12) & 0xfff00
    let folder = "/sys/dev/char/\(major(info)):\(minor)"
    let subsystem = try? FileManager.default.destinationOfSymbolicLink(
      atPath: "\(folder)/subsystem")
    return subsystem?.hasSuffix("/hidraw") == true ? folder : nil
  }

  private static func major(_ info: stat) -> dev_t { (info.st_rdev >> 8) & 0xfff }
}
