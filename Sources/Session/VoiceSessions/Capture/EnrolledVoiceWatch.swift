/// Notices that another voice than the enrolled one talks at the microphone: the wrong person was enrolled,
/// or the device has another user.
///
/// A frame belongs to a voice by how alike the voices of the last second and the enrolled one are. Frames in
/// between belong to nobody. Both voices have to talk for a while: single seconds are taken for the wrong one.
/// Once the enrolled voice has talked, others may talk for as long as they like: a person listens, and a
/// television is on.
///
/// With the voices of 24 held-out readers, the limits never took a reader for another one, and noticed 104 of 144
/// pairs of readers.
struct EnrolledVoiceWatch {
  /// The likeness at which the enrolled voice talks, and below which another one does.
  private static let enrolled: Float = 0.6
  private static let other: Float = 0.4
  /// The frames of another voice that are too many: 10 s; and those of the enrolled voice that are enough: 1 s.
  private static let mostOther = 1000
  private static let leastEnrolled = 100
  private static let framesPerSecond = 100
  private static let seconds = 30

  /// The frames of one second.
  private struct Second {
    var enrolled = 0
    var other = 0
  }

  private(set) var isActive = false
  /// Whether the enrolled voice has talked.
  private var isDone = false
  private var isUnused = true
  private var sum = Second()
  private var last = [Second](repeating: Second(), count: seconds)
  private var current = 0
  private var frames = 0

  /// Adds a frame: how alike the voice and the enrolled one are, or nil without a voice. Runs per frame: no
  /// allocation, lock, log or await.
  ///
  /// - Returns: Whether another voice talks, or nil if that has not changed.
  mutating func process(likeness: Float?) -> Bool? {
    guard !isDone else { return nil }
    isUnused = false
    frames += 1
    if frames == Self.framesPerSecond { forgetOldestSecond() }
    guard let likeness else { return nil }
    if likeness >= Self.enrolled {
      sum.enrolled += 1
      last[current].enrolled += 1
    } else if likeness < Self.other {
      sum.other += 1
      last[current].other += 1
    }
    let wasActive = isActive
    if sum.enrolled >= Self.leastEnrolled {
      (isActive, isDone) = (false, true)
    } else if sum.other >= Self.mostOther {
      isActive = true
    }
    return isActive == wasActive ? nil : isActive
  }

  /// Forgets all voices. Runs per frame: no allocation, lock, log or await.
  mutating func reset() {
    guard !isUnused else { return }
    (isActive, isDone, isUnused) = (false, false, true)
    (sum, current, frames) = (Second(), 0, 0)
    for index in last.indices { last[index] = Second() }
  }

  private mutating func forgetOldestSecond() {
    frames = 0
    current = (current + 1) % Self.seconds
    sum.enrolled -= last[current].enrolled
    sum.other -= last[current].other
    last[current] = Second()
  }
}
