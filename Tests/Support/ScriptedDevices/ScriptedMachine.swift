public import EdgeAudio
internal import Synchronization

/// The simulated sound devices of a machine.
///
/// Machines that build and test have no sound hardware. Devices of a sound server are never
/// suspended or unplugged, have no capture switch, and share one clock. Scripted devices run in
/// real time on clocks of their own, and fail when a test says so.
public final class ScriptedMachine: AudioSystem {
  private struct Key: Hashable {
    var name: String
    var direction: DeviceDirection
  }

  private let hardware = Mutex<[Key: ScriptedDevice]>([:])
  private let switches = Mutex<[String: ScriptedSwitch]>([:])

  public init() {}

  /// Adds a microphone that hears `signal`. Its clock is faster than the machine's by `ppm`.
  @discardableResult
  public func addMicrophone(
    _ name: String, partsPerMillion: Double = 0, _ signal: @escaping ScriptedDevice.Signal
  ) -> ScriptedDevice {
    add(ScriptedDevice(name, .capture, partsPerMillion: partsPerMillion, signal))
  }

  /// Adds a loudspeaker, which keeps the played samples.
  @discardableResult
  public func addLoudspeaker(_ name: String, partsPerMillion: Double = 0) -> ScriptedDevice {
    add(ScriptedDevice(name, .playback, partsPerMillion: partsPerMillion) { _ in 0 })
  }

  /// Adds a mixer. Nil adds a mixer without a capture switch.
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

  public func isPresent(_ name: String, mayCapture: Bool) -> Bool? {
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
