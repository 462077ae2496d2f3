internal import AnechoicAPI
internal import Synchronization

/// The queue to the server. The voice thread adds items and never waits. A task sends them. If the
/// connection does not accept audio, the oldest audio is dropped, and nothing else.
final class Outbox: Sendable {
  enum Item: Sendable {
    case audio(Anechoic_V1_AudioInput)
    case report(Anechoic_V1_PlaybackReport)
    case control(Anechoic_V1_Control)
    case device(Anechoic_V1_DeviceReport)
    case pose(Anechoic_V1_HeadPose)

    var isAudio: Bool { if case .audio = self { true } else { false } }
    var isPose: Bool { if case .pose = self { true } else { false } }
  }

  /// The maximum number of audio items, 200 ms.
  private static let longestBacklog = 20
  /// The maximum number of poses. The server keeps no more.
  private static let mostPoses = 64

  private struct State {
    var items: [Item] = []
    var audioCount = 0
    var droppedCount = 0
    var reader: CheckedContinuation<Item?, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Adds an item. Returns whether audio was dropped for it.
  @discardableResult
  func put(_ item: Item) -> Bool {
    let (reader, hasDropped) = state.withLock { state in
      if state.isClosed { return (nil, false) as (CheckedContinuation<Item?, Never>?, Bool) }
      if let reader = state.reader.take() { return (reader, false) }
      var hasDropped = false
      if item.isAudio {
        state.audioCount += 1
        if state.audioCount > Self.longestBacklog,
          let oldest = state.items.firstIndex(where: \.isAudio)
        {
          state.items.remove(at: oldest)
          state.audioCount -= 1
          state.droppedCount += 1
          hasDropped = true
        }
      }
      if item.isPose, state.items.count(where: \.isPose) >= Self.mostPoses,
        let oldest = state.items.firstIndex(where: \.isPose)
      {
        state.items.remove(at: oldest)
      }
      state.items.append(item)
      return (nil, hasDropped)
    }
    reader?.resume(returning: item)
    return hasDropped
  }

  /// Returns the next item to send, or nil once the queue is closed.
  func next() async -> Item? {
    await withCheckedContinuation { continuation in
      let ready: Item?? = state.withLock { state in
        if state.isClosed { return .some(nil) }
        guard !state.items.isEmpty else {
          state.reader = continuation
          return nil
        }
        let item = state.items.removeFirst()
        if item.isAudio { state.audioCount -= 1 }
        return item
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.items.removeAll()
      return state.reader.take()
    }?.resume(returning: nil)
  }

  /// The number of audio frames that were dropped.
  var droppedCount: Int { state.withLock { $0.droppedCount } }
}
