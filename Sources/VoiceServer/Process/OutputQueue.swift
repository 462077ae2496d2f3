/// Serialized messages on their way to a client, oldest first.
///
/// Its buffers are used again: once it has been as full as it gets, it allocates nothing.
final class OutputQueue {
  enum Kind { case audio, other }

  private struct Slot {
    var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    var count = 0
    var kind = Kind.other
    var isDropped = false
  }

  private var slots = [Slot](repeating: Slot(), count: 16)
  private var head = 0
  /// Messages that wait.
  private(set) var count = 0
  /// Chunks of audio that wait.
  private(set) var audioCount = 0

  deinit {
    for slot in slots { slot.bytes.deallocate() }
  }

  /// Appends a message of `size` bytes, which `write` fills in.
  func push(_ kind: Kind, size: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    if occupied == slots.count { grow() }
    let index = (head + occupied) % slots.count
    if slots[index].bytes.count < size {
      slots[index].bytes.deallocate()
      slots[index].bytes = .allocate(byteCount: max(size, 1024), alignment: 16)
    }
    slots[index].count = size
    slots[index].kind = kind
    slots[index].isDropped = false
    write(UnsafeMutableRawBufferPointer(rebasing: slots[index].bytes[..<size]))
    occupied += 1
    count += 1
    if kind == .audio { audioCount += 1 }
  }

  /// Takes the oldest message out and lends it to `use`. False when none waits.
  func pop(_ use: (UnsafeRawBufferPointer) -> Void) -> Bool {
    while occupied > 0 {
      let slot = slots[head]
      head = (head + 1) % slots.count
      occupied -= 1
      if slot.isDropped { continue }
      count -= 1
      if slot.kind == .audio { audioCount -= 1 }
      use(UnsafeRawBufferPointer(rebasing: slot.bytes[..<slot.count]))
      return true
    }
    return false
  }

  /// Throws away the oldest audio; everything else keeps its place.
  func dropOldestAudio() {
    for offset in 0..<occupied {
      let index = (head + offset) % slots.count
      guard slots[index].kind == .audio, !slots[index].isDropped else { continue }
      slots[index].isDropped = true
      count -= 1
      audioCount -= 1
      return
    }
  }

  private var occupied = 0  // slots in use, dropped messages included

  private func grow() {
    let ordered = slots[head...] + slots[..<head]
    slots = ordered + [Slot](repeating: Slot(), count: slots.count)
    head = 0
  }
}
