import Foundation
import TestCredentials
import Testing

/// `anechoic-edge` on ALSA's `null` device, which exists without sound hardware.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EdgeTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func edge(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Command.Result {
    let assignments = environment.map { "\($0)=\($1)" }
    return try await Command(
      "/usr/bin/env", assignments + [Command.path("anechoic-edge")] + arguments, in: folder
    ).wait(atMost: .seconds(20))
  }

  /// Expects an exit code and one line on standard error that contains the program's name and these
  /// words. If `hasStarted` is true, lines about devices may precede it.
  private func expectFailure(
    _ arguments: [String], environment: [String: String] = [:], code: Int32 = 2,
    hasStarted: Bool = false, saying words: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await edge(arguments, environment: environment)
    #expect(
      result.status == code && !result.wasSignalled && (hasStarted || result.errorLines.count == 1),
      "\(arguments): \(result.status) \(result.errors)", sourceLocation: sourceLocation)
    let line = result.errorLines.last ?? ""
    #expect(line.hasPrefix("anechoic-edge: "), sourceLocation: sourceLocation)
    for word in words {
      #expect(line.contains(word), "\(result.errors)", sourceLocation: sourceLocation)
    }
  }

  /// A path that is too long for a socket.
  private var longPath: String { folder.path(String(repeating: "s", count: 107)) }

  private var devices: [String] {
    ["--input", "null", "--output", "null", "--control-socket", folder.path("agent")]
  }

  @Test(arguments: [
    ["--nonsense"], ["run", "surplus"], ["run", "--config"], ["status", "--watch", "x"],
    ["route", "a", "b"], ["mute", "--input", "x"], ["nonsense"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await edge(arguments)
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test func everyOptionOfTheReferenceIsOne() async throws {
    let page = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/reference/edge.md").standardized, encoding: .utf8)
    let options = page.matches(of: /\| `--(\[no-\])?([a-z-]+)` \|/).map { "--" + $0.output.2 }
    #expect(options.count > 40)
    let help = try await Command.run("anechoic-edge", ["run", "--help"], in: folder).text
    for option in options { #expect(help.contains(option), "\(option)") }
  }

  @Test func anUnknownSubcommandIsReportedWithTheUsageOfTheWholeCommand() async throws {
    let result = try await edge(["foo"])
    let lines = result.errorLines
    #expect(lines.first?.hasPrefix("Error: 'foo' is not a subcommand of 'anechoic-edge'; ") == true)
    #expect(lines.dropFirst().first == "Usage: anechoic-edge <subcommand>", "\(result.errors)")
  }

  @Test func anImpossibleSocketIsWrongUsage() async throws {
    for path in ["", longPath, "a%b.sock"] {
      let result = try await edge(["status", "--control-socket", path, "--connect-timeout", "0"])
      #expect(result.status == 64 && result.errors.contains("--control-socket"))
    }
  }

  @Test func theMetricsOfAnAgentThatHasGoneDoNotStay() async throws {
    try folder.write(Data("anechoic_edge_connected 1\n".utf8), "edge.prom")
    try await expectFailure(
      ["metrics", "--output", "edge.prom", "--control-socket", "none", "--connect-timeout", "0"],
      saying: ["none: no agent is running there"])
    let text = try String(contentsOfFile: folder.path("edge.prom"), encoding: .utf8)
    #expect(text.hasSuffix("\nanechoic_edge_up 0.0\n"), "\(text)")
    #expect(!text.contains("anechoic_edge_connected"))
    try await expectFailure(
      ["metrics", "--output", "no/x", "--control-socket", "none", "--connect-timeout", "0"],
      saying: ["no/x: no such file or directory"])
  }

  @Test func aConfigurationThatCannotBeReadIsNamed() async throws {
    try folder.write(Data([0xFF, 0xFE, 0x00]), "bytes.yaml")
    try folder.write(Data(repeating: UInt8(ascii: "a"), count: 1 << 19), "long.yaml")
    try await expectFailure(["--config", "no.yaml"], saying: ["no.yaml: no such file"])
    try await expectFailure(["--config", "."], saying: [".: is a directory"])
    try await expectFailure(
      ["--config", "bytes.yaml"], saying: ["bytes.yaml: the file is not text"])
    for path in ["/dev/zero", "long.yaml"] {
      try await expectFailure(
        ["--config", path], saying: ["\(path): the file is longer than 256 KiB"])
    }
  }

  @Test func aWrongConfigurationIsNamedWithItsLine() async throws {
    try folder.write(Data("audio:\n  rate: 16000\n  volum: 3\n".utf8), "edge.yaml")
    for check in [["--check"], []] {
      try await expectFailure(
        ["run", "--config", "edge.yaml"] + check, saying: ["edge.yaml:3: ", "\"audio.volum\""])
    }
  }

  @Test(arguments: [
    (
      "preferred_mic_mode: LOUD", 3,
      "preferred_mic_mode: \"LOUD\" is not one of MIC_MODE_STANDARD, "
    ),
    ("mute: {gesture_policy: maybe}", 3, "mute.gesture_policy: \"maybe\" is not one of "),
    (
      "mute:\n      chime_disabled: soon", 4, "mute.chime_disabled: the value must be true or false"
    ),
    ("mute:\n      volum: 3", 4, "mute.volum: there is no such field"),
    (
      "voice_processing:\n      echo_cancellation: {suppression: LEVEL_VERY_HIGH}", 4,
      "voice_processing.echo_cancellation.suppression: "
    ),
    ("mute: {gesture_decision_timeout: 90s}", 3, "mute.gesture_decision_timeout: "),
  ])
  func aWrongSessionConfigurationIsNamedWithItsLineAndField(
    yaml: String, line: Int, words: String
  ) async throws {
    try folder.write(Data("session:\n  config:\n    \(yaml)\n".utf8), "edge.yaml")
    try await expectFailure(
      ["run", "--check", "--config", "edge.yaml"],
      saying: ["edge.yaml:\(line): session.config.\(words)"])
  }

  @Test func onAMachineWithoutASoundCardTheErrorSaysWhatToDo() async throws {
    let hasCard =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/asound"))?
      .contains { $0.hasPrefix("card") && $0 != "cards" } ?? false
    guard !hasCard else { return }
    try await expectFailure(
      ["run", "--control-socket", "none"],
      environment: ["HOME": folder.path(""), "XDG_CONFIG_HOME": folder.path("")],
      saying: ["\"default\"", "no sound card", "--input null --output null"])
    let devices = try await edge(["devices"])
    #expect(devices.errors.contains("no sound card"), "\(devices.errors)")
  }

  @Test func aPCMThatALSADoesNotKnowIsNamedWithItsKey() async throws {
    let port = "routes: {ports: [{id: desk, input: nonsense, output: 'null'}]}"
    for (text, words) in [
      (port, "edge.yaml:1: routes.ports: the input of port desk: capture device \"nonsense\": "),
      (
        "routes: {ports: [{id: d, output: 'null'}]}\nprograms: {far_end: 'alsa:nonsense'}",
        "edge.yaml:2: programs.far_end: capture device \"nonsense\": "
      ),
    ] {
      try folder.write(Data(text.utf8), "edge.yaml")
      try await expectFailure(
        ["run", "--control-socket", "none", "--config", "edge.yaml"], hasStarted: true,
        saying: ["\(words)ALSA knows no PCM of this name"])
    }
    try await expectFailure(
      ["run", "--control-socket", "none", "--input", "null", "--output", "nonsense:1"],
      saying: ["--output: playback device \"nonsense:1\": ALSA knows no PCM of this name"])
  }

  @Test func thePlacesOfProgramsAreChecked() async throws {
    try folder.write(Data(), "file")
    for (place, words) in [
      ("fifo:\(folder.path("file"))", "exists and is not a FIFO"),
      ("fifo:\(folder.path("file/fifo"))", "is not a folder"),
      ("file:\(folder.path("nothing.wav"))", "there is no file that this user can read"),
    ] {
      try folder.write(
        Data("programs: {far_ends: [{id: alice, input: '\(place)'}]}".utf8), "edge.yaml")
      try await expectFailure(
        ["check-config", "edge.yaml"],
        saying: ["edge.yaml:1: programs.far_ends: the input of far end alice in ", words])
    }
    for (place, words) in [
      ("file:voice.mp3", "the file name must end in .wav, .flac or .ogg"),
      ("file:\(folder.url.path)", "is a folder"),
    ] {
      try folder.write(Data("programs: {voice: '\(place)'}".utf8), "edge.yaml")
      try await expectFailure(
        ["check-config", "edge.yaml"], saying: ["edge.yaml:1: programs.voice: ", words])
    }
    let missing = folder.path("missing/fifo")
    try folder.write(Data("programs: {voice: 'fifo:\(missing)'}".utf8), "edge.yaml")
    let result = try await edge(["check-config", "edge.yaml"])
    #expect(result.status == 0 && result.errorLines.count == 1, "\(result.errors)")
    #expect(
      result.errors.contains("edge.yaml:1: programs.voice: \(missing): there is no folder "),
      "\(result.errors)")
  }

  /// The folder may come later, such as one of systemd.
  @Test func aFileInAFolderThatDoesNotExistIsTold() async throws {
    let missing = folder.path("missing")
    let text = """
      session: {share: \(missing)/ticket, voiceprint: \(missing)/voice}
      microphone: {lamps: [\(folder.path("lamp")), \(missing)/lamp]}
      mute: {lamps: [\(missing)/lamp]}
      """
    try folder.write(Data(text.utf8), "edge.yaml")
    let result = try await edge(["check-config", "edge.yaml"])
    #expect(result.status == 0, "\(result.errors)")
    for start in [
      "1: session.share: \(missing)/ticket", "1: session.voiceprint: \(missing)/voice",
      "2: microphone.lamps: \(missing)/lamp", "3: mute.lamps: \(missing)/lamp",
    ] {
      let line = "edge.yaml:\(start): there is no folder \(missing); "
      #expect(result.errors.contains(line), "\(result.errors)")
    }
  }

  @Test func theFilesThatSettingsNameAreChecked() async throws {
    try folder.write(Data("not audio".utf8), "text.wav")
    try folder.write(Data("products: [{product: a}]".utf8), "products")
    try folder.write(Data("products: [{product: a, delay_ms: x}]".utf8), "wrong-products")
    mkfifo(folder.path("fifo"), 0o600)
    link(folder.path("fifo"), folder.path("link"))
    let port = "routes: {ports: [{id: p, input: 'null', output: 'null', product: b}]}"
    let here = folder.url.path
    for (text, words) in [
      ("server: {token_file: \(here)/fifo}", ["server.token_file", "not a regular file"]),
      ("mute: {lamps: ['']}", ["mute.lamps", "has an empty text"]),
      ("microphone: {lamps: [\(here)/a, \(here)]}", ["microphone.lamps", "this is a folder"]),
      ("session: {share: \(here)/products/ticket}", ["session.share", "is not a folder"]),
      ("programs: {far_end: 'file:\(here)/text.wav'}", ["programs.far_end", "is not audio"]),
      (
        "programs: {far_end: 'fifo:\(here)/fifo', voice: 'fifo:\(here)/link'}",
        ["programs.voice", "is also programs.far_end"]
      ),
      (
        "{programs: {far_end: 'fifo:\(here)/fifo'}, mute: {keys: [\(here)/link]}}",
        ["mute.keys", "is also programs.far_end"]
      ),
      ("audio: {tuning: \(here)/wrong-products}", ["audio.tuning", "products.1.delay_ms"]),
      ("audio: {tuning: \(here)/products}\n\(port)", ["audio.tuning", "no product \"b\""]),
    ] {
      try folder.write(Data(text.utf8), "edge.yaml")
      try await expectFailure(
        ["check-config", "edge.yaml"], saying: ["edge.yaml:1: "] + words)
    }
  }

  @Test func anOrdinaryUserNeedsNoOptionForTheSocket() async throws {
    let runtime = folder.path("runtime")
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
    chmod(runtime, 0o777)
    let user =
      geteuid() == 0
      ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    let command = ["XDG_RUNTIME_DIR=\(runtime)"] + user + [Command.path("anechoic-edge")]
    let agent = try Command(
      "/usr/bin/env",
      command + ["run", "--input", "null", "--output", "null", "--server", "127.0.0.1:1"],
      in: folder)
    let status = try await Command(
      "/usr/bin/env", command + ["status", "--connect-timeout", "10s"], in: folder
    ).wait(atMost: .seconds(20))
    #expect(status.status == 0, "\(status.errors)")
    #expect(FileManager.default.fileExists(atPath: "\(runtime)/anechoic-edge/control.sock"))
    agent.signal(SIGTERM)
    #expect(try await agent.wait().status == 0)
  }

  @Test func commandsWaitForAnAgentThatIsStarting() async throws {
    let agent = try Command(
      "anechoic-edge", devices + ["--server", "127.0.0.1:1"], in: folder)
    let status = try await edge(
      ["status", "--control-socket", folder.path("agent"), "--connect-timeout", "10s"])
    #expect(status.status == 0, "\(status.errors)")
    agent.signal(SIGTERM)
    #expect(try await agent.wait().status == 0)
  }

  @Test func aWrongVariableOrFlagIsNamed() async throws {
    try await expectFailure(
      ["run", "--check"], environment: ["ANECHOIC_EDGE_RATE": "22050"],
      saying: ["ANECHOIC_EDGE_RATE: \"22050\""])
    try await expectFailure(
      ["run", "--check", "--rate", "1"], environment: ["ANECHOIC_EDGE_RATE": "8000"],
      code: 64, saying: ["--rate: \"1\""])
    for address in ["nowhere", "host:99999", ":", "unix:", "host:0"] {
      try await expectFailure(
        ["--server", address], code: 64, saying: ["--server: \"\(address)\""])
      try await expectFailure(
        ["run", "--check"], environment: ["ANECHOIC_EDGE_SERVER": address],
        saying: ["ANECHOIC_EDGE_SERVER: \"\(address)\""])
    }
    try await expectFailure(
      ["run", "--check"], environment: ["ANECHOIC_EDGE_RAET": "8000"],
      saying: ["ANECHOIC_EDGE_RAET: ", "did you mean ANECHOIC_EDGE_RATE?"])
    try await expectFailure(
      ["--session-id", "a b"], code: 64, saying: ["--session-id: must have 1 to 63"])
    for path in [longPath, "a%b.sock"] {
      try await expectFailure(
        ["--control-socket", path], code: 64,
        saying: [
          "--control-socket: \"\(path)\" cannot be a socket: ", "1 to 107 bytes and no \"%\"",
        ])
    }
  }

  @Test func aCertificateFileThatCannotBeReadIsNamedWithItsPlace() async throws {
    let certificates = try await Certificates()
    let server = "server:\n  certificate: \(certificates.path("server.pem"))\n"
    try folder.write(Data("server:\n  ca_file: no.pem\n".utf8), "ca.yaml")
    try folder.write(Data("\(server)  key: no.key\n".utf8), "key.yaml")
    try folder.write(
      Data("\(server)  key: \(certificates.path("server.pem"))\n".utf8), "wrong.yaml")
    for check in [["--check"], []] {
      try await expectFailure(
        ["run", "--config", "ca.yaml"] + check,
        saying: ["ca.yaml:2: server.ca_file: no.pem: no such"])
      try await expectFailure(
        ["run", "--config", "key.yaml"] + check, saying: ["key.yaml:3: server.key: no.key: no such"]
      )
    }
    try await expectFailure(["--config", "wrong.yaml"], saying: ["wrong.yaml:3: server.key: /"])
    try await expectFailure(
      ["run", "--check"], environment: ["ANECHOIC_EDGE_CA_FILE": "/"],
      saying: ["ANECHOIC_EDGE_CA_FILE: /: is a directory"])
  }

  @Test func aFileThatIsNotAKeyIsNamedWithItsPlace() async throws {
    try folder.write(Data("mute:\n  keys:\n    - no.key\n    - keys.yaml\n".utf8), "keys.yaml")
    for check in [["--check"], []] {
      try await expectFailure(
        ["run", "--config", "keys.yaml"] + check,
        saying: [
          "keys.yaml:4: mute.keys: keys.yaml: is not an input device, a HID device or a FIFO"
        ])
    }
  }

  @Test func checkPrintsNothingForAValidConfiguration() async throws {
    let file = Folder.package.appendingPathComponent("deploy/edge/anechoic-edge.yaml").path
    let result = try await edge(["run", "--check", "--config", file])
    #expect(result.status == 0 && result.errors.isEmpty && result.output.isEmpty)
  }

  @Test func checkConfigPrintsTheSettingsWithTheirPlaces() async throws {
    try folder.write(Data("audio:\n  rate: 16000\n".utf8), "edge.yaml")
    let result = try await edge(
      ["check-config", "edge.yaml", "--print"], environment: ["ANECHOIC_EDGE_FALLBACK": "full"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = result.text.split(separator: "\n")
    #expect(lines.contains("audio.rate: 16000  # edge.yaml:2"), "\(result.text)")
    #expect(lines.contains("fallback: full  # ANECHOIC_EDGE_FALLBACK"))
    #expect(lines.contains("audio.periods: 4  # default"))
    try await expectFailure(["check-config", "none.yaml"], saying: ["none.yaml: no such file"])
  }

  @Test func aFormerNameIsReportedInOneLine() async throws {
    try folder.write(Data("audio:\n  volume-db: -3\n".utf8), "edge.yaml")
    let result = try await edge(
      ["run", "--check", "--config", "edge.yaml"],
      environment: ["ANECHOIC_EDGE_AUDIO_RATE": "16000"])
    #expect(result.status == 0, "\(result.errors)")
    let rest = "; the next version refuses the former name"
    #expect(
      result.errorLines.sorted() == [
        "anechoic-edge: ANECHOIC_EDGE_AUDIO_RATE: is now called ANECHOIC_EDGE_RATE\(rest)",
        "anechoic-edge: edge.yaml:2: audio.volume-db: is now called audio.volume_db\(rest)",
      ])
    try folder.write(Data("audio:\n  volume-db: -3\n  volume_db: -3\n".utf8), "both.yaml")
    try await expectFailure(
      ["run", "--check", "--config", "both.yaml"],
      saying: ["both.yaml:2: audio.volume-db: is the former name of audio.volume_db"])
  }

  @Test func aDeviceThatALSADoesNotKnowIsNamed() async throws {
    try await expectFailure(
      ["--input", "nonsense", "--output", "null", "--control-socket", "none"],
      saying: ["capture device \"nonsense\""])
    try await expectFailure(
      devices + ["--voice", "alsa:nonsense"], saying: ["playback device \"nonsense\""])
  }

  @Test func aRefusedCertificateIsReported() async throws {
    let certificates = try await Certificates()
    let server = try await ServerProcess(
      in: folder,
      options: [
        "--tls-certificate", certificates.path("server.pem"), "--tls-key",
        certificates.path("server.key"),
      ])
    // It is tried again: the clock of the machine may not have been set.
    let agent = try Command(
      "anechoic-edge",
      devices + ["--server", server.address, "--ca-file", certificates.path("other-ca.pem")],
      in: folder)
    let line = try await agent.line(containing: "the server's certificate is refused: ")
    #expect(line.contains("server \(server.address)") && line.hasSuffix("; trying again"))
    agent.signal(SIGTERM)
    #expect(try await agent.wait().status == 0)
    try await expectFailure(
      devices + ["--server", server.address],
      environment: ["ANECHOIC_EDGE_CA_FILE": folder.path("no.pem")],
      saying: [folder.path("no.pem")])
  }

  @Test func aServerOfAnotherKindIsReported() async throws {
    // The agent connects to the socket of another agent, which is a server that does not process
    // voice.
    let server = try await ServerProcess(in: folder)
    let agent = try Command(
      "anechoic-edge", devices + ["--server", server.address], in: folder)
    try await agent.line(containing: "runs")
    try await running(folder.path("agent"))
    try await expectFailure(
      [
        "--input", "null", "--output", "null", "--control-socket", "none", "--server",
        "unix:\(folder.path("agent"))",
      ], hasStarted: true,
      saying: ["unix:\(folder.path("agent")): this is not an Anechoic server of this version"])
    agent.signal(SIGTERM)
    #expect(try await agent.wait().status == 0)
  }

  @Test(arguments: ["status", "mute", "unmute", "route", "test"])
  func withoutAnAgentThereIsNoAnswer(command: String) async throws {
    let socket = folder.path("nobody")
    try await expectFailure(
      [command, "--control-socket", socket, "--connect-timeout", "0"],
      saying: ["\(socket): no agent is running there"])
  }

  @Test func anAgentThatHangsIsNotCalledAServer() async throws {
    let agent = try Command(
      "anechoic-edge", devices + ["--server", "127.0.0.1:1"], in: folder)
    try await running(folder.path("agent"))
    agent.signal(SIGSTOP)
    try await expectFailure(
      ["status", "--control-socket", folder.path("agent")],
      saying: ["\(folder.path("agent")): the agent did not answer in time"])
    agent.signal(SIGCONT)
    agent.signal(SIGTERM)
    #expect(try await agent.wait().status == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aRunningAgentIsAskedSteeredAndStopped(signal: Int32) async throws {
    let server = try await ServerProcess(in: folder)
    let agent = try Command(
      "anechoic-edge", devices + ["--server", server.address, "--session-id", "kitchen"],
      in: folder)
    try await running(folder.path("agent"))
    try await agent.line(containing: "sessions/kitchen runs")
    let at = ["--control-socket", folder.path("agent")]
    let status = try await edge(["status", "--json"] + at)
    let object =
      try JSONSerialization.jsonObject(with: status.output) as? [String: Any] ?? [:]
    #expect(status.status == 0 && object["session"] as? String == "sessions/kitchen")
    #expect(object["route"] as? String == "command-line")
    let words = try await edge(["status"] + at).text
    #expect(words.contains("flow         1 session, "), "\(words)")
    #expect(try await edge(["mute"] + at).text == "muted\n")
    #expect(try await edge(["status"] + at).text.contains("mute         on, held by the session"))
    #expect(try await edge(["unmute"] + at).text == "not muted\n")
    #expect(try await edge(["route"] + at).text.hasPrefix("* command-line"))
    try await expectFailure(["route", "attic"] + at, saying: ["there is no port \"attic\""])
    // Another agent on the same socket is refused.
    try await expectFailure(
      devices + ["--server", server.address], saying: ["another agent uses it"])
    agent.signal(signal)
    let result = try await agent.wait()
    #expect(result.status == 0 && !result.wasSignalled, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("agent")))
  }

  /// Waits until an agent answers.
  private func running(_ socket: String) async throws {
    let limit = ContinuousClock.now + .seconds(10)
    while try await edge(["status", "--control-socket", socket]).status != 0 {
      try #require(ContinuousClock.now < limit, "no agent at \(socket)")
    }
  }
}
