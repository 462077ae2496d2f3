public import AnechoicAPI
public import GRPCTransport

/// How a scripted server answers, and what it was sent.
public struct SessionScript: Sendable {
  /// An answer to a start, a control, or a call about the mute state.
  public enum Answer: Sendable {
    case accept
    case refuse(Status)
    case ignore
  }

  /// The answers to the next starts. Later ones are accepted.
  public var starts: [Answer] = []
  /// The answers to the next controls in sessions, and to all later ones.
  public var controls: [Answer] = []
  public var laterControls = Answer.accept
  /// The answers to the next mutes in calls of their own. Later ones are ignored.
  public var calls: [Answer] = []

  /// Each start that came, and its time.
  public internal(set) var started: [(start: Anechoic_V1_Start, time: ContinuousClock.Instant)] = []
  /// The controls that came.
  public internal(set) var controlled: [Anechoic_V1_Control] = []
  /// The number of mutes that came in calls of their own.
  public internal(set) var callCount = 0
  /// The messages for the sessions that run. Each one is sent before the next output.
  var outbox: [Letter] = []

  /// Accepts everything.
  public init() {}

  enum Letter: Sendable {
    case event(Anechoic_V1_SessionEvent)
    case echoPath(Anechoic_V1_EchoPath)
    case end(Status)
  }

  /// The mute states that clients asked for in sessions.
  public var mutes: [Bool] {
    controlled.compactMap { control in
      if case .setMute(let change) = control.control { change.muted } else { nil }
    }
  }

  mutating func answerToStart() -> Answer { starts.isEmpty ? .accept : starts.removeFirst() }

  mutating func answerToCall() -> Answer {
    callCount += 1
    return calls.isEmpty ? .ignore : calls.removeFirst()
  }

  mutating func answerToControl() -> Answer {
    controls.isEmpty ? laterControls : controls.removeFirst()
  }
}
