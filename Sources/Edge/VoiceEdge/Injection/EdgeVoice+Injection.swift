internal import AnechoicAPI

/// The answers to clients that ask to speak into the call.
extension EdgeVoice {
  /// Answers a question, or lets the person do it.
  func decide(_ request: Anechoic_V1_InjectionPermissionRequested) {
    let settings = configuration.injection
    let question = InjectionQuestion(client: request.client, usage: request.usageDescription)
    switch settings.permission {
    case .always: sendPermission(of: question.client, true)
    case .never: sendPermission(of: question.client, false)
    case .ask:
      if let answer = server.injectors.ask(question) {
        return sendPermission(of: question.client, answer)
      }
      if let command = settings.command { return ask(command, question) }
      log(
        "injection: \(question.client) asks to speak: \(question.usage); permit it with "
          + "\"anechoic-edge injection permit \(question.client)\"")
      status.injectionQuestions = server.injectors.waiting
    }
  }

  /// Answers a client that has asked in this run of the agent. Returns whether there is such a client.
  func answerInjection(_ client: String, _ isGranted: Bool) -> Bool {
    guard server.injectors.answer(client, isGranted) else { return false }
    log("injection: \(client) is \(isGranted ? "permitted" : "refused")")
    sendPermission(of: client, isGranted)
    status.injectionQuestions = server.injectors.waiting
    publish()
    return true
  }

  private func ask(_ command: String, _ question: InjectionQuestion) {
    Task { [mailbox = parts.mailbox] in
      let variables = ["ANECHOIC_CLIENT": question.client, "ANECHOIC_USAGE": question.usage]
      let isGranted = await ShellCommand.run(command, variables) == 0
      mailbox.post { _ = $0.answerInjection(question.client, isGranted) }
    }
  }

  private func sendPermission(of client: String, _ isGranted: Bool) {
    sendControl {
      $0.decideInjectionPermission.client = client
      $0.decideInjectionPermission.grant = isGranted
      $0.decideInjectionPermission.remember = configuration.injection.remembers
    }
  }
}
