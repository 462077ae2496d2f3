package import AudioCore

extension FloatArena {
  /// Returns an arena for the results of one frame. It is large enough for each part of an engine
  /// by itself, so that parts that run one after the other can share it.
  package static func forWork() -> FloatArena { FloatArena(capacity: workCount) }

  /// The number of values in an arena for work.
  package static let workCount = 10_848
}
