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
    case .always: _ = answerInjection(question.client, true)
    case .never: _ = answerInjection(question.client, false)
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

  /// Answers a client that has asked in this run of the agent. Returns whether there is such a client.
  func answerInjection(_ client: String, _ isGranted: Bool) -> Bool {
    guard server.injectors.answer(client, isGranted) else { return false }
    log("injection: \(client) is \(isGranted ? "permitted" : "refused")")
    send(isGranted, to: client)
    status.injectionQuestions = server.injectors.waiting
    publish()
    return true
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
        _ = voice.answerInjection(question.client, isGranted)
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
