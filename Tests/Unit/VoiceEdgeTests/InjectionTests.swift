import AnechoicAPI
@testable import VoiceEdge
import Foundation
import GRPCTransport
import ScriptedDevices
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

/// Clients that ask to speak into the call of this machine, and the person who answers them.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InjectionTests {
  private func ask(
    _ rig: AgentRig, as client: SessionsClient? = nil, _ usage: String = "Doorbell"
  ) async throws -> Anechoic_V1_InjectionPermission {
    try await (client ?? rig.remote).requestInjectionPermission(
      rig.status.session, usageDescription: usage)
  }

  private func decide(
    _ rig: AgentRig, _ client: String, _ grant: Bool
  ) async throws -> Anechoic_V1_EdgeStatus {
    let response: Anechoic_V1_DecideInjectionResponse = try await rig.ask(
      RPC.decideInjection,
      Anechoic_V1_DecideInjectionRequest.with { ($0.client, $0.grant) = (client, grant) })
    return response.status
  }

  @Test(arguments: [true, false])
  func theConfigurationAnswers(_ isGranted: Bool) async throws {
    try await AgentRig.run {
      $0.configuration.injection.permission = isGranted ? .always : .never
    } _: { rig in
      try await rig.running()
      #expect(try await ask(rig) == (isGranted ? .granted : .denied))
      #expect(try await rig.edgeStatus().injectionRequests.isEmpty)
    }
  }

  @Test func thePersonAnswersOnceForAllCalls() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      async let answer = ask(rig)
      try await eventually("asked") {
        try await rig.edgeStatus().injectionRequests.map(\.client) == ["paul"]
      }
      #expect(try await rig.edgeStatus().injectionRequests.map(\.usageDescription) == ["Doorbell"])
      #expect(try await decide(rig, "paul", true).injectionRequests.isEmpty)
      #expect(try await answer == .granted)
      let spoken = try await rig.remote.injectSpeech(.with { $0.name = rig.status.session })
      try await spoken.send(text: "hi")
      #expect(try await spoken.finish().injected.nanos > 0)
      // Another session, another question, the same answer.
      await rig.stopServer()
      try rig.startServer()
      try await eventually("connected again") {
        rig.status.isConnected && rig.status.sessionCount == 2
      }
      #expect(try await ask(rig) == .granted)
      // The person changes the answer.
      _ = try await decide(rig, "paul", false)
      try await eventually("withdrawn") {
        try await rig.remote.injectionStatus(rig.status.session).permission == .denied
      }
    }
  }

  @Test func anAnswerMayComeBeforeTheQuestion() async throws {
    try await AgentRig.run { rig in
      try await rig.running()
      _ = try await decide(rig, "paul", true)
      #expect(try await ask(rig) == .granted)
    }
  }

  @Test func questionsAndAnswersBelongToTheSessionUntilItIsOver() {
    var questions = InjectionQuestions()
    _ = questions.ask(.init(client: "a", usage: ""))
    _ = questions.ask(.init(client: "b", usage: ""))
    questions.answer("a", true)
    questions.answer("c", true)
    #expect(questions.waiting.map(\.client) == ["b"])
    #expect(questions.answers.map(\.client) == ["a"])
    questions.sessionEnded()
    #expect(questions.waiting.isEmpty && questions.answers.isEmpty)
    #expect(questions.ask(.init(client: "a", usage: "")) == true)
  }

  @Test(arguments: ["", " eve", "e\nve", String(repeating: "e", count: 300)])
  func aNameThatNoClientCanHaveIsRefused(name: String) async throws {
    try await AgentRig.run { rig in
      let status = await code { _ = try await decide(rig, name, true) }
      #expect(status == .invalidArgument)
    }
  }

  @Test func whoeverAnsweredThePersonCanChangeIt() async throws {
    try await AgentRig.run {
      $0.configuration.injection.permission = .always
    } _: { rig in
      try await rig.running()
      #expect(try await ask(rig) == .granted)
      _ = try await decide(rig, "paul", false)
      try await eventually("withdrawn") {
        try await rig.remote.injectionStatus(rig.status.session).permission == .denied
      }
    }
  }

  @Test func aServerThatStoresNothingTakesTheAnswerForTheSession() async throws {
    try await AgentRig.run {
      $0.configuration.injection.remembers = true
    } _: { rig in
      try await rig.running()
      async let answer = ask(rig)
      try await eventually("asked") { !rig.status.injectionQuestions.isEmpty }
      _ = try await decide(rig, "paul", true)
      #expect(try await answer == .granted)
      #expect(rig.log.all.contains { $0.hasPrefix("injection: the answer to paul was refused: ") })
    }
  }

  @Test func thePersonIsQuickerThanTheCommand() async throws {
    let folder = try Folder()
    try await AgentRig.run {
      $0.configuration.injection.command = "sleep 1; touch \(folder.path("done")); exit 0"
    } _: { rig in
      try await rig.running()
      async let answer = ask(rig)
      try await eventually("asked") { !rig.status.injectionQuestions.isEmpty }
      _ = try await decide(rig, "paul", false)
      #expect(try await answer == .denied)
      try await eventually("the command has ended") {
        FileManager.default.fileExists(atPath: folder.path("done"))
      }
      try await remains("denied", for: .milliseconds(200)) {
        try await rig.remote.injectionStatus(rig.status.session).permission == .denied
      }
    }
  }

  @Test(arguments: [true, false])
  func aCommandAnswers(_ isGranted: Bool) async throws {
    let folder = try Folder()
    try await AgentRig.run {
      $0.configuration.injection.command =
        "echo \"$ANECHOIC_CLIENT: $ANECHOIC_USAGE\" > \(folder.path("asked")); exit \(isGranted ? 0 : 1)"
    } _: { rig in
      try await rig.running()
      #expect(try await ask(rig, "It's $HOME; `id`") == (isGranted ? .granted : .denied))
      #expect(folder.text("asked") == "paul: It's $HOME; `id`\n")
    }
  }

  @Test(arguments: ["permit", "refuse"])
  func theDesktopAsks(_ button: String) async throws {
    let folder = try Folder()
    let bus = try await PrivateBus(folder)
    try await AgentRig.run {
      $0.configuration.injection.notification = .on
      $0.configuration.programs.sessionBus = bus.address.text
    } _: { rig in
      try await rig.running()
      async let answer = ask(rig, "Announces <b>visitors</b>")
      // The desktop comes after the question.
      try await eventually("asked") { !rig.status.injectionQuestions.isEmpty }
      try await bus.start("notifications.py", [], name: PrivateBus.notifications)
      try await eventually("a notification") {
        try await bus.shown("Shown") == ["paul wants to speak into your call"]
      }
      #expect(try await bus.shown("Texts") == ["Announces &lt;b&gt;visitors&lt;/b&gt;"])
      try await bus.press(button)
      #expect(try await answer == (button == "permit" ? .granted : .denied))
      try await eventually("no notification") { try await bus.shown("Shown").isEmpty }
    }
  }

  @Test func anAnswerElsewhereTakesTheNotificationAway() async throws {
    let folder = try Folder()
    let bus = try await PrivateBus(folder)
    try await bus.start("notifications.py", [], name: PrivateBus.notifications)
    try await AgentRig.run {
      $0.configuration.injection.notification = .on
      $0.configuration.programs.sessionBus = bus.address.text
    } _: { rig in
      try await rig.running()
      async let answer = ask(rig)
      try await eventually("a notification") { try await !bus.shown("Shown").isEmpty }
      _ = try await decide(rig, "paul", true)
      #expect(try await answer == .granted)
      try await eventually("no notification") { try await bus.shown("Shown").isEmpty }
    }
  }

  @Test func aLocalProgramIsToldOfCallsThatBeginAndEnd() async throws {
    try await AgentRig.run {
      $0.configuration.calls.begin = .request
    } _: { rig in
      let watch = try await rig.local.watchInjection("sessions/edge")
      #expect(try await watch.receive()?.map(\.running) == [false])
      let away = try await rig.local.injectionStatus("sessions/edge")
      #expect(!away.running && !away.available)
      let _: Anechoic_V1_BeginCallResponse = try await rig.ask(
        RPC.beginCall, Anechoic_V1_BeginCallRequest.with { $0.holder = "test" })
      var available = false
      while !available {
        let statuses = try #require(try await watch.receive())
        #expect(statuses.map(\.session) == ["sessions/edge"])
        available = statuses.contains { $0.available }
      }
      #expect(try await rig.local.injectionStatus("").available)
      // A watch that begins during a call says so at once.
      let late = try await rig.local.watchInjection("")
      #expect(try await late.receive()?.map(\.running) == [true])
      late.cancel()
      let _: Anechoic_V1_EndCallResponse = try await rig.ask(
        RPC.endCall, Anechoic_V1_EndCallRequest())
      while try await watch.receive()?.contains(where: \.running) == true {}
      watch.cancel()
    }
  }

  /// It would be asked again for ever, while the client waits without a word.
  @Test(arguments: [StatusCode.permissionDenied, .unauthenticated])
  func aWatchThatTheServerRefusesEndsWithItsStatus(code: StatusCode) async {
    let board = StatusBoard { _ in }
    var status = EdgeStatus()
    status.isConnected = true
    board.publish(status)
    let watch = LocalInjectionWatch(
      board: board, name: "sessions/edge", watch: { _ in throw Status(code, "not this client") },
      send: { _ in })
    let refused = await #expect(throws: Status.self) { try await watch.run() }
    #expect(refused?.code == code)
  }

  @Test func theAgentKnowsTheLatestClients() {
    var questions = InjectionQuestions()
    func ask(_ client: Int) -> Bool? {
      questions.ask(InjectionQuestion(client: "\(client)", usage: ""))
    }
    for client in 0...InjectionQuestions.most { #expect(ask(client) == nil) }
    #expect(questions.waiting.map(\.client).first == "1")
    #expect(questions.waiting.count == InjectionQuestions.most)
    questions.answer("1", true)
    #expect(ask(1) == true)
    // The questions end with the session, and the person may answer afterwards.
    questions.sessionEnded()
    #expect(questions.waiting.isEmpty)
    questions.answer("2", false)
    #expect(ask(2) == false)
    for client in 100..<100 + InjectionQuestions.most { _ = ask(client) }
    #expect(ask(1) == nil)
  }
}
