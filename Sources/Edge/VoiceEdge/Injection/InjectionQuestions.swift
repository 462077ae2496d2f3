/// A client that asks to speak into the call, and waits for the person's answer.
struct InjectionQuestion: Sendable, Equatable {
  let client: String
  /// The reason that the client gives.
  let usage: String
}

/// The clients that asked to speak into calls, and the answers, which last as long as the agent runs.
/// Does no I/O.
struct InjectionQuestions {
  /// The number of clients that are known. The session of a call has no more clients that ask.
  static let most = 64

  private struct Client {
    let name: String
    var answer: Bool?
  }

  /// The questions without an answer, the oldest first.
  private(set) var waiting: [InjectionQuestion] = []
  /// The clients that asked in this session.
  private var asked: Set<String> = []
  /// The clients that asked, the one that asked or was answered last at the end.
  private var clients: [Client] = []

  /// The answers to the clients that asked in this session.
  var answers: [(client: String, isGranted: Bool)] {
    clients.compactMap { client in
      asked.contains(client.name) ? client.answer.map { (client.name, $0) } : nil
    }
  }

  /// Records a question. Returns the earlier answer to this client, or nil if it has none.
  mutating func ask(_ question: InjectionQuestion) -> Bool? {
    if asked.count < Self.most { asked.insert(question.client) }
    if let answer = answer(to: question.client) { return answer }
    put(Client(name: question.client))
    waiting.removeAll { $0.client == question.client }
    waiting.append(question)
    if waiting.count > Self.most { waiting.removeFirst() }
    return nil
  }

  /// Returns the answer to a client, or nil if it has none.
  func answer(to client: String) -> Bool? { clients.first { $0.name == client }?.answer }

  /// Records an answer, also one that changes an earlier one, or comes before the client asks.
  mutating func answer(_ client: String, _ isGranted: Bool) {
    waiting.removeAll { $0.client == client }
    put(Client(name: client, answer: isGranted))
  }

  /// The session is over, and with it the questions.
  mutating func sessionEnded() { (waiting, asked) = ([], []) }

  private mutating func put(_ client: Client) {
    clients.removeAll { $0.name == client.name }
    clients.append(client)
    if clients.count > Self.most { clients.removeFirst() }
  }
}
