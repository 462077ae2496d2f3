/// The load of one thread at one time.
public struct ThreadFigures: Sendable {
  /// The share of its time for which the thread ran or waited for a processor.
  public var load: Double
  /// The share of its time that its sessions are expected to need.
  public var predicted: Double
  /// The part of the frame budget that is taken.
  public var admitted: Double
  /// The time in seconds by which the frames of all sessions are late.
  public var lateness: Double
  public var isOverloaded: Bool
  /// The sessions that run with less processing.
  public var reducedSessions: Int

  public init(
    load: Double, predicted: Double, admitted: Double, lateness: Double, isOverloaded: Bool,
    reducedSessions: Int
  ) {
    self.load = load
    self.predicted = predicted
    self.admitted = admitted
    self.lateness = lateness
    self.isOverloaded = isOverloaded
    self.reducedSessions = reducedSessions
  }
}
