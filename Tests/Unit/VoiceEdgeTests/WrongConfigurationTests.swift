import Testing
import VoiceEdge

/// Errors in a configuration: each contains the file, the line and the key.
struct WrongConfigurationTests {
  @Test(arguments: [
    ("servers: {}\n", 1, "servers"),
    ("\n\nserver:\n  adress: a:1\n", 4, "server.adress"),
    ("session:\n  name: x\n", 2, "session.name"),
    ("audio:\n  rate: 16000\n  volume: 3\n", 3, "audio.volume"),
    ("routes:\n  port: []\n", 2, "routes.port"),
    ("routes:\n  input: default\n", 2, "routes.input"),
    ("routes:\n  ports:\n    - id: a\n      inputs: b\n", 4, "routes.ports.1.inputs"),
    ("programs:\n  farend: x\n", 2, "programs.farend"),
    ("mute:\n  lamp: x\n", 2, "mute.lamp"),
    ("microphone:\n  lamp: x\n", 2, "microphone.lamp"),
    ("keys:\n  volume: mute\n", 2, "keys.volume"),
  ])
  func anUnknownKeyIsNamed(text: String, line: Int, key: String) {
    let problem = problem(text)
    #expect(problem.hasPrefix("edge.yaml:\(line): unknown key \"\(key)\""), "\(problem)")
  }

  @Test(arguments: [
    ("server:\n  address: nowhere\n", 2, "server.address"),
    ("server:\n  address: 'unix:/x'\n  tls: true\n", 2, "server.address"),
    ("server:\n  ca_file: ''\n", 2, "server.ca_file"),
    ("session:\n  id: no spaces\n", 2, "session.id"),
    ("session:\n  id: ''\n", 2, "session.id"),
    ("session:\n  client: \"a\\0b\"\n", 2, "session.client"),
    ("control_socket: /\(String(repeating: "s", count: 107))\n", 1, "control_socket"),
    ("server:\n  tls: maybe\n", 2, "server.tls"),
    ("audio:\n  rate: 22050\n", 2, "audio.rate"),
    ("audio:\n  input_channels: 3\n", 2, "audio.input_channels"),
    ("audio:\n  output_channels: 0\n", 2, "audio.output_channels"),
    ("audio:\n  periods: 1\n", 2, "audio.periods"),
    ("audio:\n  periods: many\n", 2, "audio.periods"),
    ("audio:\n  volume_db: 3\n", 2, "audio.volume_db"),
    ("audio:\n  volume_db: nan\n", 2, "audio.volume_db"),
    ("audio:\n  reference: x\n", 2, "audio.reference"),
    ("routes:\n  policy: best\n", 2, "routes.policy"),
    ("programs:\n  far_end: hw:0\n", 2, "programs.far_end"),
    ("programs:\n  voice: 'fifo:'\n", 2, "programs.voice"),
    ("programs:\n  other_audio_channels: 9\n", 2, "programs.other_audio_channels"),
    ("programs:\n  far_end: 'fifo:/v'\n  voice: 'fifo:/v'\n", 3, "programs.voice"),
    ("programs:\n  far_end: 'fifo:/a/../v'\n  other_audio: 'fifo:/v'\n", 3, "programs.other_audio"),
    ("programs:\n  far_end: 'file:/v'\n  voice: 'file:/v'\n", 3, "programs.voice"),
    ("programs:\n  desktop: pulse\n", 2, "programs.desktop"),
    ("programs:\n  desktop: 'tcp:'\n", 2, "programs.desktop"),
    ("programs:\n  desktop: 'tcp::4713'\n", 2, "programs.desktop"),
    ("programs:\n  desktop_memory: streams\n", 2, "programs.desktop_memory"),
    ("programs:\n  media: stop\n", 2, "programs.media"),
    ("session:\n  join_buffer_ms: 5\n", 2, "session.join_buffer_ms"),
    ("session:\n  share: /t\n  join: /t\n", 3, "session.join"),
    ("session:\n  share: /t\naudio:\n  reference: tap\n", 4, "audio.reference"),
    ("session:\n  join: /t\nprograms:\n  far_end: alsa:null\n", 4, "programs.far_end"),
    ("session:\n  join: /t\nroutes:\n  ports:\n    - {id: a, input: b}\n", 2, "session.join"),
    ("programs:\n  media_memory: players\n", 2, "programs.media_memory"),
    ("programs:\n  session_bus: unixexec:path=/bin/sh\n", 2, "programs.session_bus"),
    ("mute:\n  start_muted: 2\n", 2, "mute.start_muted"),
    ("mute:\n  muted_audio: hidden\n", 2, "mute.muted_audio"),
    ("microphone:\n  open: never\n", 2, "microphone.open"),
    ("keys:\n  mic_mute: explode\n", 2, "keys.mic_mute"),
    ("keys:\n  ring: command\n", 2, "keys.ring"),
    ("fallback: none\n", 1, "fallback"),
    (
      "routes:\n  ports:\n    - id: a\n      input: b\n      type: radio\n", 5,
      "routes.ports.1.type"
    ),
    (
      "routes:\n  ports:\n    - id: a\n      input: b\n      priority: 2000\n", 5,
      "ports.1.priority"
    ),
    (
      "routes:\n  ports:\n    - id: a\n      input: b\n      headphones: 2\n", 5,
      "ports.1.headphones"
    ),
  ])
  func aWrongValueIsNamed(text: String, line: Int, key: String) {
    let problem = problem(text)
    #expect(problem.hasPrefix("edge.yaml:\(line): "), "\(problem)")
    #expect(problem.contains("\(key): "), "\(problem)")
  }

  @Test(arguments: [
    ("server: here\n", 1, "server"),
    ("audio:\n  rate: [16000]\n", 2, "audio.rate"),
    ("audio:\n  periods: {a: 1}\n", 2, "audio.periods"),
    ("routes:\n  ports: x\n", 2, "routes.ports"),
    ("routes:\n  ports:\n    - x\n", 3, "routes.ports.1"),
    ("mute:\n  keys: {a: b}\n", 2, "mute.keys"),
    ("mute:\n  keys: [[a]]\n", 2, "mute.keys"),
    ("session:\n  id: [a]\n", 2, "session.id"),
    ("\n- a\n- b\n", 2, "must contain keys and values"),
    ("hello\n", 1, "must contain keys and values"),
    ("? [a]\n: b\n", 1, "keys must be text"),
  ])
  func aWrongTypeIsNamed(text: String, line: Int, key: String) {
    let problem = problem(text)
    #expect(problem.hasPrefix("edge.yaml:\(line): \(key)"), "\(problem)")
  }

  @Test(arguments: [
    ("audio:\n  rate: 16000\n  periods: 4\n  rate: 8000\n", 2, "rate"),
    ("server: {}\nserver: {}\n", 1, "server"),
  ])
  func aRepeatedKeyIsNamed(text: String, line: Int, key: String) {
    let problem = problem(text)
    #expect(problem == "edge.yaml:\(line): \"\(key)\" appears twice")
  }

  @Test(arguments: [
    "host:99999", "host:0", ":", "host:", ":50051", "a b:1", "::1:50051", "unix:",
    "unix:/\(String(repeating: "s", count: 107))",
  ])
  func anImpossibleServerAddressIsNamed(address: String) {
    let problem = problem("server:\n  address: '\(address)'\n")
    #expect(problem.hasPrefix("edge.yaml:2: server.address: \"\(address)\""), "\(problem)")
  }

  @Test(arguments: [
    "session:\n  config:\n    preferedMicMode: 1\n",
    "session:\n  config:\n    preferredMicMode: MIC_MODE_NICE\n",
    "session:\n  config:\n    preferredMicMode: 1:2:3:4:5:6:7:8:9:10:11:12:13\n",
    "session:\n  config: loud\n", "session:\n  config: [a]\n",
    "session:\n  config:\n    otherAudioDucking: {level: .nan}\n",
  ])
  func anInvalidSessionConfigurationIsNamed(text: String) {
    let problem = problem(text)
    #expect(problem.hasPrefix("edge.yaml:"), "\(problem)")
    #expect(problem.contains(": session.config") && !problem.contains("\n"), "\(problem)")
  }

  @Test(arguments: [
    "server:\n  certificate: a\n", "server:\n  key: a\n",
  ])
  func aCertificateWithoutItsKeyIsNamed(text: String) {
    let problem = problem(text)
    #expect(problem.hasPrefix("edge.yaml:2: server."), "\(problem)")
  }

  @Test(arguments: ["a: [", "\tx: 1", "a: b: c\n", "\"", "*x", "a: &b [*c]"])
  func invalidYAMLIsNamed(text: String) {
    let problem = problem(text)
    #expect(problem.hasPrefix("edge.yaml:") && !problem.contains("\n"), "\(problem)")
  }
}
