internal import GRPCTransport
internal import Synchronization

/// The room for the speech of texts that wait to be heard: minutes of speech need megabytes, and wait as long
/// as they last.
final class SpeechRoom: Sendable {
  /// The room of the process: 25 minutes at 22.05 kHz, 128 MiB.
  static let shared = SpeechRoom(samples: 1 << 25)

  private let most: Int
  private let taken = Atomic<Int>(0)

  init(samples: Int) { most = samples }

  /// Takes room, until the object is released. Throws if there is not enough.
  func take(_ count: Int) throws(Status) -> WaitingSpeech {
    let speech = WaitingSpeech(count, in: self)
    guard taken.add(count, ordering: .relaxed).newValue <= most else { throw .tooMuchSpeech }
    return speech
  }

  fileprivate func release(_ count: Int) { taken.subtract(count, ordering: .relaxed) }
}

/// Speech that waits to be heard.
final class WaitingSpeech: Sendable {
  private let count: Int
  private let room: SpeechRoom

  fileprivate init(_ count: Int, in room: SpeechRoom) { (self.count, self.room) = (count, room) }

  deinit { room.release(count) }
}
