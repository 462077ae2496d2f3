internal import CALSA
internal import Glibc

/// The control of a card or sound server.
final class ALSAControl: DeviceControl {
  private let handle: OpaquePointer
  /// The descriptors to poll. The last one is that of the signal.
  private let descriptors: UnsafeMutableBufferPointer<pollfd>
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
    descriptors = .allocate(capacity: 1 + max(0, Int(snd_ctl_poll_descriptors_count(opened))))
    descriptors.initialize(repeating: pollfd())
    captureSwitch = firstElement { $0.isCaptureSwitch }
  }

  deinit {
    if let captureSwitch { snd_ctl_elem_id_free(captureSwitch) }
    let handle = ALSAHandle(pointer: handle)
    ALSASystem.exclusively { _ = snd_ctl_close(handle.pointer) }
    descriptors.deallocate()
  }

  func wait(_ time: Duration, _ wake: WakeSignal) throws(DeviceIOError) {
    let count = descriptors.count - 1
    snd_ctl_poll_descriptors(handle, descriptors.baseAddress, UInt32(count))
    descriptors[count] = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(
      descriptors.baseAddress, nfds_t(descriptors.count), Int32(time / .milliseconds(1)))
    let problem = ready < 0 ? errno : 0
    _ = wake.take()
    guard problem == 0 || problem == EINTR else { throw DeviceIOError(code: -problem) }
    guard ready > 0 else { return }
    var events: UInt16 = 0
    snd_ctl_poll_descriptors_revents(handle, descriptors.baseAddress, UInt32(count), &events)
    if events & UInt16(POLLERR | POLLNVAL | POLLHUP) != 0 { throw DeviceIOError(code: -ENODEV) }
    try readEvents()
  }

  /// Reads the events that wait. The values are then read from the elements.
  private func readEvents() throws(DeviceIOError) {
    var event: OpaquePointer?
    guard snd_ctl_event_malloc(&event) >= 0, let event else { return }
    defer { snd_ctl_event_free(event) }
    var code: Int32
    repeat { code = snd_ctl_read(handle, event) } while code > 0
    if code < 0, code != -EAGAIN, code != -EINTR { throw DeviceIOError(code: code) }
  }

  func captureIsOn() throws(DeviceIOError) -> Bool? {
    guard let captureSwitch else { return nil }
    return try read { snd_ctl_elem_value_set_id($0, captureSwitch) }
  }

  func isPlugged(_ jack: JackName) throws(DeviceIOError) -> Bool? {
    try read {
      snd_ctl_elem_value_set_interface($0, SND_CTL_ELEM_IFACE_CARD)
      snd_ctl_elem_value_set_name($0, jack.name)
      snd_ctl_elem_value_set_index($0, UInt32(jack.index))
    }
  }

  func jacks() throws(DeviceIOError) -> [JackName] {
    withElements { list, count in
      (0..<count).compactMap { index in
        let element = ListedElement(list: list, index: index)
        guard element.isJack, element.isBoolean(handle) else { return nil }
        return JackName(name: element.name, index: Int(snd_ctl_elem_list_get_index(list, index)))
      }
    } ?? []
  }

  /// Returns the value of the boolean element whose id `name` sets, or nil if there is no such
  /// element.
  private func read(_ name: (OpaquePointer) -> Void) throws(DeviceIOError) -> Bool? {
    var value: OpaquePointer?
    guard snd_ctl_elem_value_malloc(&value) >= 0, let value else { return nil }
    defer { snd_ctl_elem_value_free(value) }
    name(value)
    let code = snd_ctl_elem_read(handle, value)
    if code == -ENOENT { return nil }
    if code < 0 { throw DeviceIOError(code: code) }
    return snd_ctl_elem_value_get_boolean(value, 0) != 0
  }

  /// Returns the id of the first element that fulfils the condition.
  private func firstElement(_ isWanted: (ListedElement) -> Bool) -> OpaquePointer? {
    withElements { list, count in
      let found = (0..<count).first { isWanted(ListedElement(list: list, index: $0)) }
      var id: OpaquePointer?
      guard let found, snd_ctl_elem_id_malloc(&id) >= 0, let id else { return nil }
      snd_ctl_elem_list_get_id(list, found, id)
      return id
    } ?? nil
  }

  /// Passes the list of all elements and their number to `body`. Returns nil if there is no list.
  private func withElements<Result>(_ body: (OpaquePointer, UInt32) -> Result) -> Result? {
    var list: OpaquePointer?
    guard snd_ctl_elem_list_malloc(&list) >= 0, let list else { return nil }
    defer { snd_ctl_elem_list_free(list) }
    guard snd_ctl_elem_list(handle, list) >= 0 else { return nil }
    let count = snd_ctl_elem_list_get_count(list)
    guard snd_ctl_elem_list_alloc_space(list, count) >= 0 else { return nil }
    defer { snd_ctl_elem_list_free_space(list) }
    guard snd_ctl_elem_list(handle, list) >= 0 else { return nil }
    return body(list, snd_ctl_elem_list_get_used(list))
  }
}

/// An element in a list of a control's elements.
private struct ListedElement {
  let list: OpaquePointer
  let index: UInt32

  var name: String {
    snd_ctl_elem_list_get_name(list, index).map { String(cString: $0) } ?? ""
  }

  /// Whether the name is that of a microphone's or card's capture switch.
  var isCaptureSwitch: Bool { name == "Capture Switch" || name.hasSuffix("Mic Capture Switch") }

  /// Whether the element is in the interface where the kernel has jacks.
  var isJack: Bool {
    snd_ctl_elem_list_get_interface(list, index) == SND_CTL_ELEM_IFACE_CARD
  }

  func isBoolean(_ handle: OpaquePointer) -> Bool {
    var (id, information): (OpaquePointer?, OpaquePointer?)
    guard snd_ctl_elem_id_malloc(&id) >= 0, let id else { return false }
    defer { snd_ctl_elem_id_free(id) }
    guard snd_ctl_elem_info_malloc(&information) >= 0, let information else { return false }
    defer { snd_ctl_elem_info_free(information) }
    snd_ctl_elem_list_get_id(list, index, id)
    snd_ctl_elem_info_set_id(information, id)
    return snd_ctl_elem_info(handle, information) >= 0
      && snd_ctl_elem_info_get_type(information) == SND_CTL_ELEM_TYPE_BOOLEAN
  }
}
