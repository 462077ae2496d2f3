internal import CALSA
internal import Glibc

/// The mixer of a card or sound server.
final class ALSAControl: DeviceControl {
  private let handle: OpaquePointer
  private var captureSwitch: OpaquePointer?  // The id of the element.

  init(_ name: String) throws(DeviceError) {
    let (code, new) = ALSASystem.exclusively {
      var opened: OpaquePointer?
      let code = snd_ctl_open(&opened, name, Int32(SND_CTL_NONBLOCK))
      return (code, ALSAHandle(pointer: opened))
    }
    guard code >= 0, let opened = new.pointer else {
      throw DeviceError(opening: name, "control", code: code)
    }
    handle = opened
    snd_ctl_subscribe_events(opened, 1)
    captureSwitch = Self.findCaptureSwitch(opened)
  }

  deinit {
    if let captureSwitch { snd_ctl_elem_id_free(captureSwitch) }
    let handle = ALSAHandle(pointer: handle)
    ALSASystem.exclusively { _ = snd_ctl_close(handle.pointer) }
  }

  func wait(_ time: Duration) throws(DeviceFault) {
    let code = snd_ctl_wait(handle, Int32(time / .milliseconds(1)))
    if code < 0, code != -EINTR { throw DeviceFault(code: code) }
    var event: OpaquePointer?
    guard code > 0, snd_ctl_event_malloc(&event) >= 0, let event else { return }
    defer { snd_ctl_event_free(event) }
    while snd_ctl_read(handle, event) > 0 {}
  }

  func captureIsOn() throws(DeviceFault) -> Bool? {
    guard let captureSwitch else { return nil }
    var value: OpaquePointer?
    guard snd_ctl_elem_value_malloc(&value) >= 0, let value else { return nil }
    defer { snd_ctl_elem_value_free(value) }
    snd_ctl_elem_value_set_id(value, captureSwitch)
    let code = snd_ctl_elem_read(handle, value)
    if code < 0 { throw DeviceFault(code: code) }
    return snd_ctl_elem_value_get_boolean(value, 0) != 0
  }

  /// Returns the first element whose name is that of a microphone's or card's capture switch.
  private static func findCaptureSwitch(_ handle: OpaquePointer) -> OpaquePointer? {
    var list: OpaquePointer?
    guard snd_ctl_elem_list_malloc(&list) >= 0, let list else { return nil }
    defer { snd_ctl_elem_list_free(list) }
    guard snd_ctl_elem_list(handle, list) >= 0 else { return nil }
    let count = snd_ctl_elem_list_get_count(list)
    guard snd_ctl_elem_list_alloc_space(list, count) >= 0 else { return nil }
    defer { snd_ctl_elem_list_free_space(list) }
    guard snd_ctl_elem_list(handle, list) >= 0 else { return nil }
    for index in 0..<snd_ctl_elem_list_get_used(list) {
      guard let name = snd_ctl_elem_list_get_name(list, index).map({ String(cString: $0) }),
        name == "Capture Switch" || name.hasSuffix("Mic Capture Switch")
      else { continue }
      var id: OpaquePointer?
      guard snd_ctl_elem_id_malloc(&id) >= 0, let id else { return nil }
      snd_ctl_elem_list_get_id(list, index, id)
      return id
    }
    return nil
  }
}
