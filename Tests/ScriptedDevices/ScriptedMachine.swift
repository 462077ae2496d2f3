public import AudioDevices
internal import Synchronization

/// A machine's sound devices, made up.
///
/// Machines that build and test have no sound hardware, and what sound servers offer there never
/// falls asleep, is never unplugged, has no capture switch, and keeps one clock. So devices are
/// scripted: they keep real time by clocks of their own, and fail when they are told to.
public final class ScriptedMachine: AudioSystem {
  private struct Key: Hashable {
    var name: String
    var direction: DeviceDirection
  }

  private let hardware = Mutex<[Key: ScriptedDevice]>([:])
  private let switches = Mutex<[String: ScriptedSwitch]>([:])

  public init() {}

  /// A microphone that hears `signal`, whose clock is so much faster than the machine's.
  @discardableResult
  public func addMicrophone(
    _ name: String, partsPerMillion: Double = 0, _ signal: @escaping ScriptedDevice.Signal
  ) -> ScriptedDevice {
    add(ScriptedDevice(name, .capture, partsPerMillion: partsPerMillion, signal))
  }

  /// A loudspeaker, which keeps what it played.
  @discardableResult
  public func addLoudspeaker(_ name: String, partsPerMillion: Double = 0) -> ScriptedDevice {
    add(ScriptedDevice(name, .playback, partsPerMillion: partsPerMillion) { _ in 0 })
  }

  /// A mixer; nil is one without a capture switch.
  @discardableResult
  public func addControl(_ name: String, captureIsOn: Bool? = true) -> ScriptedSwitch {
    let new = ScriptedSwitch(captureIsOn)
    switches.withLock { $0[name] = new }
    return new
  }

  private func add(_ device: ScriptedDevice) -> ScriptedDevice {
    hardware.withLock { $0[Key(name: device.name, direction: device.direction)] = device }
    return device
  }

  // MARK: AudioSystem

  public func open(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> any PCMDevice {
    guard let device = hardware.withLock({ $0[Key(name: name, direction: direction)] }) else {
      throw DeviceError(.unsupported, "\(direction.rawValue) device \"\(name)\": nobody knows it")
    }
    return try device.open(wish)
  }

  public func openControl(_ name: String) throws(DeviceError) -> any DeviceControl {
    guard let found = switches.withLock({ $0[name] }), found.isPlugged else {
      throw DeviceError(.absent, "control \"\(name)\": no such device")
    }
    return ScriptedControl(found)
  }

  public func isPresent(_ name: String) -> Bool? {
    let devices = hardware.withLock { hardware in
      hardware.values.filter { $0.name == name }
    }
    if devices.isEmpty { return switches.withLock { $0[name] }?.isPlugged }
    return devices.contains(where: \.isPlugged)
  }

  public func devices() throws(DeviceError) -> [DeviceDescription] {
    hardware.withLock { hardware in
      hardware.keys.map {
        DeviceDescription(name: $0.name, summary: "scripted", directions: [$0.direction])
      }
    }
  }
}
