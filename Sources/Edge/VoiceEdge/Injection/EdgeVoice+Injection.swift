internal import AnechoicAPI

/// An answer on its way to the session.
struct InjectionAnswer: Sendable, Equatable {
  let client: String
  let isGranted: Bool
  /// Whether the server is asked to keep it for later sessions.
  var isRemembered: Bool
}

/// The answers to clients that ask to speak into the call.
extension EdgeVoice {
  /// The answers on their way that are kept. The server answers each of them.
  private static let mostAnswers = 256

  /// Answers a question, or lets the person do it.
  func decide(_ request: Anechoic_V1_InjectionPermissionRequested) {
    let settings = configuration.injection
    let question = InjectionQuestion(client: request.client, usage: request.usageDescription)
    if let answer = server.injectors.ask(question) { return send(answer, to: question.client) }
    switch settings.permission {
    case .always: answerInjection(question.client, true)
    case .never: answerInjection(question.client, false)
    case .ask:
      status.injectionQuestions = server.injectors.waiting
      guard let command = settings.command else {
        return log(
          "injection: \(question.client) asks to speak: \(question.usage); answer with "
            + "\"anechoic-edge injection\"")
      }
      ask(command, question)
    }
  }

  /// Answers a client, which need not have asked: the server may store an earlier answer to it.
  func answerInjection(_ client: String, _ isGranted: Bool) {
    server.injectors.answer(client, isGranted)
    log("injection: \(client) is \(isGranted ? "permitted" : "refused")")
    send(isGranted, to: client)
    status.injectionQuestions = server.injectors.waiting
    publish()
  }

  /// Refuses a client that a stored answer lets speak although nobody may, or the person has refused it
  /// since.
  func permissionChanged(_ change: Anechoic_V1_InjectionPermissionChanged) {
    let isRefused =
      configuration.injection.permission == .never
      || server.injectors.answer(to: change.client) == false
    guard isRefused, change.permission == .granted else { return }
    log("injection: \(change.client) is refused")
    send(false, to: change.client, isRemembered: false)
  }

  /// Forgets the questions of a session that is over.
  func forgetInjectionQuestions() {
    server.injectors.sessionEnded()
    status.injectionQuestions = []
  }

  /// Answers again what may have been lost with the connection. The same answer twice changes nothing.
  func repeatInjectionAnswers() {
    for answer in server.injectors.answers { send(answer.isGranted, to: answer.client) }
  }

  /// Records the session's result for a control, which may have been an answer to a client.
  func injectionAnswered(_ result: Anechoic_V1_ControlResult) {
    guard let answer = server.injectionAnswers.removeValue(forKey: result.controlID),
      result.hasRefusal
    else { return }
    log("injection: the answer to \(answer.client) was refused: \(result.refusal.message)")
    // The answer counts in this session all the same.
    guard answer.isRemembered, result.refusal.reason == "PERMISSIONS_NOT_STORED" else { return }
    send(answer.isGranted, to: answer.client, isRemembered: false)
  }

  /// Lets a command answer, unless the person is quicker.
  private func ask(_ command: String, _ question: InjectionQuestion) {
    Task { [mailbox = parts.mailbox] in
      let variables = ["ANECHOIC_CLIENT": question.client, "ANECHOIC_USAGE": question.usage]
      let isGranted = await ShellCommand.run(command, variables) == 0
      mailbox.post { voice in
        guard voice.server.injectors.waiting.contains(question) else { return }
        voice.answerInjection(question.client, isGranted)
      }
    }
  }

  private func send(_ isGranted: Bool, to client: String, isRemembered: Bool? = nil) {
    let answer = InjectionAnswer(
      client: client, isGranted: isGranted,
      isRemembered: isRemembered ?? configuration.injection.remembers)
    guard server.link != nil, server.injectionAnswers.count < Self.mostAnswers else { return }
    let id = sendControl {
      $0.decideInjectionPermission.client = client
      $0.decideInjectionPermission.grant = isGranted
      $0.decideInjectionPermission.remember = answer.isRemembered
    }
    server.injectionAnswers[id] = answer
  }
}
