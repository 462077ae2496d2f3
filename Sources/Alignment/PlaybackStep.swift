/// What a client said that it does from a sample of the reference on.
public struct PlaybackStep: Sendable, Equatable {
  /// Where the reference has to go with it.
  var sample: Int64
  /// By which it plays faster than before, in parts per million.
  var rate: Double
  /// Samples by which it is heard later.
  var added: Int64
}
