/// A bounded queue of serialized messages to a client.
///
/// The buffers of messages that have left are used again, so that the queue allocates memory only
/// when it is fuller than ever before. The memory that only a backlog needed is freed after the
/// backlog has left.
final class MessageQueue {
  private struct Slot {
    var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    var count = 0
    var isDroppable = false
    var isDropped = false
  }

  private static let smallestBuffer = 1 << 10
  /// The size in bytes above which a buffer is freed when its message has left.
  private static let largestKeptBuffer = 16 << 10
  private static let fewestSlots = 16
  /// The number of slots above which all slots are freed when the queue is empty.
  private static let mostKeptSlots = 256

  private let limit: OutgoingMessages.Limit
  private var slots = [Slot](repeating: Slot(), count: MessageQueue.fewestSlots)
  private var head = 0
  /// The number of slots in use, including the slots of dropped messages.
  private var occupied = 0
  /// The number of messages that wait.
  private(set) var count = 0
  /// The number of messages that wait and may be dropped.
  private(set) var droppableCount = 0
  /// The size in bytes of the messages that wait.
  private(set) var byteCount = 0

  init(limit: OutgoingMessages.Limit) { self.limit = limit }

  deinit {
    for slot in slots { slot.bytes.deallocate() }
  }

  /// Whether half of the limit is used.
  var isHalfFull: Bool { count * 2 >= limit.messages || byteCount * 2 >= limit.bytes }

  /// Appends a message of `size` bytes, which `write` fills in. If this would exceed the limit,
  /// appends nothing and returns false.
  func push(
    size: Int, isDroppable: Bool, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) -> Bool {
    guard count < limit.messages, byteCount + size <= limit.bytes else { return false }
    if occupied == slots.count { makeRoom() }
    let index = (head + occupied) % slots.count
    if slots[index].bytes.count < size {
      slots[index].bytes.deallocate()
      slots[index].bytes = .allocate(byteCount: max(size, Self.smallestBuffer), alignment: 16)
    }
    slots[index].count = size
    slots[index].isDroppable = isDroppable
    slots[index].isDropped = false
    write(UnsafeMutableRawBufferPointer(rebasing: slots[index].bytes[..<size]))
    occupied += 1
    count += 1
    byteCount += size
    if isDroppable { droppableCount += 1 }
    return true
  }

  /// Removes the oldest message and passes its bytes to `use`. Returns false if no message waits.
  func pop(_ use: (UnsafeRawBufferPointer) -> Void) -> Bool {
    while occupied > 0 {
      let index = head
      head = (head + 1) % slots.count
      occupied -= 1
      let slot = slots[index]
      if !slot.isDropped { record(removed: slot) }
      if !slot.isDropped { use(UnsafeRawBufferPointer(rebasing: slot.bytes[..<slot.count])) }
      if slot.bytes.count > Self.largestKeptBuffer { free(index) }
      if occupied == 0, slots.count > Self.mostKeptSlots { removeAll() }
      if !slot.isDropped { return true }
    }
    return false
  }

  /// Removes the oldest message that may be dropped. The order of the others does not change.
  func dropOldest() {
    for offset in 0..<occupied {
      let index = (head + offset) % slots.count
      guard slots[index].isDroppable, !slots[index].isDropped else { continue }
      slots[index].isDropped = true
      record(removed: slots[index])
      return
    }
  }

  /// Removes all messages and frees their memory.
  func removeAll() {
    for slot in slots { slot.bytes.deallocate() }
    slots = [Slot](repeating: Slot(), count: Self.fewestSlots)
    head = 0
    occupied = 0
    count = 0
    droppableCount = 0
    byteCount = 0
  }

  private func record(removed slot: Slot) {
    count -= 1
    byteCount -= slot.count
    if slot.isDroppable { droppableCount -= 1 }
  }

  private func free(_ index: Int) {
    slots[index].bytes.deallocate()
    slots[index].bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }

  /// Reuses the slots of dropped messages if there are many, and otherwise adds slots.
  private func makeRoom() {
    guard (occupied - count) * 4 < slots.count else { return compact() }
    let ordered = slots[head...] + slots[..<head]
    slots = ordered + [Slot](repeating: Slot(), count: slots.count)
    head = 0
  }

  private func compact() {
    var kept = 0
    for offset in 0..<occupied {
      let index = (head + offset) % slots.count
      guard !slots[index].isDropped else { continue }
      if kept < offset { slots.swapAt((head + kept) % slots.count, index) }
      kept += 1
    }
    occupied = kept
  }
}
