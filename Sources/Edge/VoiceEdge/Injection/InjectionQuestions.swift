/// A client that asks to speak into the call, and waits for the person's answer.
struct InjectionQuestion: Sendable, Equatable {
  let client: String
  /// The reason that the client gives.
  let usage: String
}

/// The clients that asked to speak into calls, and the answers, which last as long as the agent runs.
/// Does no I/O.
struct InjectionQuestions {
  /// The number of answers that are kept. The session of a call has no more clients that ask.
  static let most = 64

  /// The questions without an answer, the oldest first.
  private(set) var waiting: [InjectionQuestion] = []
  /// The answers by client, the oldest first.
  private var answers: [(client: String, isGranted: Bool)] = []

  /// Records a question. Returns the earlier answer to this client, or nil if it has none.
  mutating func ask(_ question: InjectionQuestion) -> Bool? {
    if let answer = answers.first(where: { $0.client == question.client }) {
      return answer.isGranted
    }
    waiting.removeAll { $0.client == question.client }
    waiting.append(question)
    if waiting.count > Self.most { waiting.removeFirst() }
    return nil
  }

  /// Records an answer, also one that changes an earlier one. Returns whether the client has asked.
  mutating func answer(_ client: String, _ isGranted: Bool) -> Bool {
    let hasAsked =
      waiting.contains { $0.client == client } || answers.contains { $0.client == client }
    guard hasAsked else { return false }
    waiting.removeAll { $0.client == client }
    answers.removeAll { $0.client == client }
    answers.append((client, isGranted))
    if answers.count > Self.most { answers.removeFirst() }
    return true
  }

  /// The session is over, and with it the questions.
  mutating func sessionEnded() { waiting = [] }
}
