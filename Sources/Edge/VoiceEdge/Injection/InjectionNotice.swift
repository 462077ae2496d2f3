internal import VoiceClient

/// Asks the person on the desktop whether a client may speak into the call: a notification
/// (org.freedesktop.Notifications) with two buttons for each question.
struct InjectionNotice: Sendable {
  /// The number of questions that are shown at once.
  private static let most = 4
  private static let (permit, refuse) = ("permit", "refuse")

  private let bus: BusAddress
  private let voice: Mailbox<EdgeVoice>
  private let log: @Sendable (String) -> Void

  /// Returns nil if the configuration does not let the desktop ask.
  init?(
    _ configuration: EdgeConfiguration, _ voice: Mailbox<EdgeVoice>,
    log: @escaping @Sendable (String) -> Void
  ) {
    let settings = configuration.injection
    guard settings.permission == .ask, settings.command == nil,
      settings.notification.isOn(configuration)
    else { return nil }
    bus = configuration.programs.sessionBusAddress
    (self.voice, self.log) = (voice, log)
  }

  /// Shows the questions that have no answer, until the task is cancelled.
  func run(_ board: StatusBoard) async {
    await withDiscardingTaskGroup { group in
      var shown: [InjectionQuestion] = []
      for await status in board.watch() {
        let waiting = Array(status.injectionQuestions.prefix(Self.most))
        for question in waiting where !shown.contains(question) {
          group.addTask { await ask(question, board) }
        }
        shown = waiting
      }
    }
  }

  /// Shows a question until it has an answer, here or elsewhere.
  private func ask(_ question: InjectionQuestion, _ board: StatusBoard) async {
    let notification = DesktopNotification(
      bus, title: "\(question.client) wants to speak into your call",
      text: DesktopNotification.plain(question.usage), icon: "microphone-sensitivity-high",
      buttons: [(Self.permit, "Permit"), (Self.refuse, "Refuse")], log: log)
    let answer = try? await race(
      { await notification.choice() },
      { () -> String? in
        for await status in board.watch()
        where !status.injectionQuestions.contains(question) { break }
        return nil
      })
    await notification.close()
    guard let answer = answer ?? nil else { return }
    voice.post { $0.answerInjection(question.client, answer == Self.permit) }
  }
}
