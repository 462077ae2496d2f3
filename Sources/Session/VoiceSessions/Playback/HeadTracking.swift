internal import AudioCore
internal import SpatialAudio

/// The poses of the listener's head, each from the frame that it belongs to.
struct HeadTracking {
  /// Of poses that wait for their time, this many are kept, the newest ones. Of poses for the next frame,
  /// only the last one is kept, so that a client may send any number of them.
  static let capacity = 64

  /// The pose of the last frame.
  private(set) var pose = HeadPose.ahead
  private let rate: SampleRate
  private var waiting: [(pose: HeadPose, time: Duration?)] = []
  /// When a sample of the microphone was captured.
  private var capture: (sample: Int64, time: Duration)?

  init(rate: SampleRate) {
    self.rate = rate
    waiting.reserveCapacity(Self.capacity)
  }

  /// The number of poses that wait.
  var waitingCount: Int { waiting.count }

  /// Records when a sample of the microphone was captured.
  mutating func recordCapture(sample: Int64, at time: Duration) { capture = (sample, time) }

  /// Adds a pose, measured at a time by the clock of the microphone's device times.
  mutating func add(_ pose: HeadPose, at time: Duration?) {
    if time == nil { waiting.removeAll { $0.time == nil } }
    if waiting.count == Self.capacity { waiting.removeFirst() }
    waiting.append((pose, time))
  }

  /// Moves on to a frame that ends before a sample of the microphone.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func advance(to end: Int64) {
    guard !waiting.isEmpty else { return }
    var left = 0
    for index in waiting.indices {
      let next = waiting[index]
      if isDue(next.time, before: end) {
        pose = next.pose
      } else {
        waiting[left] = next
        left += 1
      }
    }
    waiting.removeLast(waiting.count - left)
  }

  private func isDue(_ time: Duration?, before end: Int64) -> Bool {
    guard let time, let capture else { return true }
    return time < capture.time + rate.duration(ofSamples: Int(end - capture.sample))
  }
}
