/// A set of problems of a microphone. Allocates nothing.
public struct CaptureProblems: Sendable, Equatable {
  private var bits: UInt16 = 0

  public init() {}

  public func contains(_ problem: CaptureProblem) -> Bool { bits & Self.bit(problem) != 0 }

  public mutating func insert(_ problem: CaptureProblem) { bits |= Self.bit(problem) }

  public mutating func remove(_ problem: CaptureProblem) { bits &= ~Self.bit(problem) }

  /// The problems in the order of their declaration.
  public var all: [CaptureProblem] { CaptureProblem.allCases.filter(contains) }

  private static func bit(_ problem: CaptureProblem) -> UInt16 { 1 << problem.rawValue }
}
