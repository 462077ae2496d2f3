internal import CALSA
internal import Glibc
internal import Synchronization

/// The devices of ALSA: cards, and PCMs that ALSA's configuration defines.
public struct ALSASystem: AudioSystem {
  /// ALSA's plug-ins cannot be opened and closed by several threads at the same time.
  private static let opening = Mutex(())

  private let lent = SoundServerDevices()

  public init() { calsa_silence() }

  public func open(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> any PCMDevice {
    do throws(DeviceError) {
      let device = try Self.openExclusively(name, direction, wish)
      if device.isLent {
        lent.record(name, direction, wish, isPresent: true)
      } else {
        // While it is open, nobody can find out by opening it again.
        lent.forget(name, direction)
      }
      return device
    } catch {
      if CardName(in: name) == nil { lent.record(name, direction, wish, error) }
      throw error
    }
  }

  public func openControl(_ name: String) throws(DeviceError) -> any DeviceControl {
    try ALSAControl(name)
  }

  /// Returns the control of the card in the name of a PCM, or nil if the name has no card.
  public static func control(of pcm: String) -> String? {
    CardName(in: pcm).map { "hw:CARD=\($0.id)" }
  }

  /// Returns whether the device is present: for a name with a card, always; for another name, once
  /// an attempt to open the device was made, unless that opened a device that only one can have. Otherwise
  /// returns nil.
  public func isPresent(_ name: String, mayCapture: Bool) -> Bool? {
    guard let card = CardName(in: name) else {
      return lent.isPresent(name, mayCapture: mayCapture) { direction, wish throws(DeviceError) in
        _ = try Self.openExclusively(name, direction, wish)
      }
    }
    return snd_card_get_index(card.id) >= 0
  }

  /// Whether ALSA's configuration defines a PCM, which may still need a card that is missing.
  static func knows(_ name: String) -> Bool {
    var (configuration, definition): (OpaquePointer?, OpaquePointer?)
    guard snd_config_update_ref(&configuration) >= 0, let configuration else { return true }
    defer { snd_config_unref(configuration) }
    let path = "pcm." + name.prefix { $0 != ":" }
    return snd_config_search(configuration, path, &definition) >= 0
  }

  private static func openExclusively(
    _ name: String, _ direction: DeviceDirection, _ wish: DeviceWish
  ) throws(DeviceError) -> ALSAPCM {
    let result = exclusively { () -> Result<Opened, DeviceError> in
      do throws(DeviceError) {
        return .success(Opened(device: try ALSAPCM(name, direction, wish)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get().device
  }

  /// Runs `body` while no other thread opens or closes a device.
  static func exclusively<Result: Sendable>(_ body: () -> sending Result) -> Result {
    opening.withLock { _ in body() }
  }
}

/// An ALSA handle that crosses the lock.
struct ALSAHandle: @unchecked Sendable {
  let pointer: OpaquePointer?
}

/// An open PCM that crosses the lock.
private struct Opened: @unchecked Sendable {
  let device: ALSAPCM
}

/// The card in the name of a device, as in `hw:CARD=Desk,DEV=0` or `plughw:Desk`.
struct CardName: Equatable {
  let id: String

  init?(in name: String) {
    guard let colon = name.firstIndex(of: ":"),
      ["hw", "plughw", "sysdefault", "front", "dsnoop", "dmix"].contains(name[..<colon])
    else { return nil }
    let arguments = name[name.index(after: colon)...].split(separator: ",")
    guard let first = arguments.first(where: { $0.hasPrefix("CARD=") }) ?? arguments.first else {
      return nil
    }
    id = String(first.hasPrefix("CARD=") ? first.dropFirst(5) : first)
  }
}

extension DeviceError {
  /// Creates the error for an ALSA code that was returned when the device was opened.
  init(opening name: String, _ direction: String, code: Int32) {
    let text = "\(direction) device \"\(name)\": \(String(cString: snd_strerror(code)))"
    switch -code {
    case ENODEV, ENXIO, ECONNREFUSED: self.init(.absent, text)
    case ENOENT where ALSASystem.knows(name):
      self.init(CardName(in: name) == nil ? .unsupported : .absent, text)
    case ENOENT:
      self.init(
        .unknown,
        "\(direction) device \"\(name)\": ALSA knows no PCM of this name; "
          + "anechoic-edge devices lists those that exist")
    case EBUSY, EAGAIN: self.init(.busy, text)
    case EACCES, EPERM:
      self.init(.denied, text + "; add this user to the group audio")
    default: self.init(.failed, text)
    }
  }
}

extension DeviceIOError {
  init(code: Int32) {
    switch -code {
    case EPIPE: self = .xrun
    case ESTRPIPE: self = .suspended
    default: self = .lost(String(cString: snd_strerror(code)))
    }
  }
}
