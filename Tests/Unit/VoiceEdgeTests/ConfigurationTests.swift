import AnechoicAPI
import AudioCore
import Foundation
import Settings
import Testing

@testable import VoiceEdge

struct ConfigurationTests {
  @Test func everyKeyIsRead() throws {
    let configuration = try EdgeConfiguration.read(Self.complete, file: "edge.yaml").values
    let files = configuration.server.files
    #expect(configuration.server.address == "voice.example:443")
    #expect(
      files
        == {
          var files = EdgeConfiguration.SecurityFiles()
          files.isTLS = true
          files.authorities = .init(path: "/ca.pem", place: "edge.yaml:4: server.ca_file")
          files.certificate = .init(path: "/client.pem", place: "edge.yaml:5: server.certificate")
          files.key = .init(path: "/client.key", place: "edge.yaml:6: server.key")
          files.serverName = "other.example"
          return files
        }())
    #expect(configuration.session.id == "kitchen")
    #expect(configuration.session.client == "kitchen-agent")
    #expect(configuration.session.engine == "delay")
    #expect(configuration.session.configuration.preferredMicMode == .voiceIsolation)
    #expect(configuration.session.configuration.voiceActivityDetection.enabled)
    #expect(configuration.session.configuration.voiceProcessing.noiseSuppression.level == .high)
    #expect(configuration.audio.rate == .hz16000)
    #expect(configuration.audio.inputChannels == 2 && configuration.audio.outputChannels == 1)
    #expect(configuration.audio.periods == 6 && configuration.audio.volume == -12.5)
    #expect(configuration.audio.reference == .tap)
    #expect(
      configuration.audio.tuning
        == .init(path: "/etc/tuning.yaml", place: "edge.yaml:24: audio.tuning"))
    #expect(configuration.programs.farEnd == .alsa("hw:Loopback,1"))
    #expect(configuration.programs.otherAudio == .fifo(path: "/run/music"))
    #expect(configuration.programs.voice == .file(path: "/tmp/voice.wav"))
    #expect(configuration.programs.farEndChannels == 2)
    #expect(configuration.programs.otherAudioChannels == 1)
    #expect(configuration.programs.desktop == .server("unix:/run/pulse"))
    #expect(configuration.programs.desktopMemory == "/var/lib/streams.json")
    #expect(configuration.programs.media == .pause)
    #expect(configuration.programs.mediaMemory == "/var/lib/players.json")
    #expect(configuration.programs.sessionBus == "unix:path=/run/bus")
    #expect(configuration.mute.startsMuted && configuration.mute.audio == .staysLocal)
    #expect(configuration.mute.keys == ["/dev/input/a", "/dev/input/b"])
    #expect(configuration.mute.lamps == ["/sys/led"])
    #expect(configuration.mute.gestureCommand == "ask-somebody")
    #expect(configuration.microphone.open == .whenNeeded)
    #expect(configuration.microphone.lamps == ["/sys/red"])
    let actions: [HeadsetKey: KeyAction] = [
      .micMute: .none, .playPause: .mute, .hookSwitch: .command, .ring: .none,
    ]
    #expect(configuration.keys.actions == actions && configuration.keys.command == "answer")
    #expect(configuration.fallback == .passThrough)
    #expect(configuration.controlSocket == "/run/edge.sock")
  }

  @Test func eachPathMayBeginInTheHomeFolder() throws {
    let configuration = try EdgeConfiguration.read(
      """
      server: {address: "unix:~/s", token_file: ~/t}
      audio: {tuning: ~/c}
      programs: {far_end: "fifo:~/f", voice: "file:~/v.wav", desktop_memory: ~/d}
      mute: {keys: [~/k], lamps: [~/l]}
      control_socket: ~/e.sock
      """, file: "edge.yaml"
    ).values
    let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
    #expect(configuration.server.address == "unix:\(home)/s")
    #expect(configuration.server.tokenFile == "\(home)/t")
    #expect(configuration.audio.tuning?.path == "\(home)/c")
    #expect(configuration.programs.farEnd == .fifo(path: "\(home)/f"))
    #expect(configuration.programs.voice == .file(path: "\(home)/v.wav"))
    #expect(configuration.programs.desktopMemory == "\(home)/d")
    #expect(configuration.mute.keys == ["\(home)/k"] && configuration.mute.lamps == ["\(home)/l"])
    #expect(configuration.controlSocket == "\(home)/e.sock")
  }

  @Test func everyKeyOfAPortIsRead() throws {
    let configuration = try EdgeConfiguration.read(Self.complete, file: "edge.yaml").values
    #expect(configuration.routes.policy == .followsUse)
    let ports = configuration.routes.ports
    #expect(ports.map(\.id) == ["desk", "headset"])
    #expect(ports[0].displayName == "The desk" && ports[0].type == .usb)
    #expect(ports[0].input == "hw:Desk" && ports[0].output == "hw:Desk,1")
    #expect(ports[0].loopback == "hw:Desk,2" && ports[0].control == "hw:Desk,3")
    #expect(ports[0].headphones && ports[0].priority == -5 && ports[0].product == "lamp")
    #expect(ports[1].displayName == "headset" && ports[1].output == nil && !ports[1].headphones)
  }

  @Test(arguments: ["", "# nothing\n", "server:\naudio:\nroutes:\n"])
  func absentKeysHaveTheirDefaults(text: String) throws {
    let configuration = try EdgeConfiguration.read(text, file: "edge.yaml").values
    let files = configuration.server.files
    #expect(configuration.server.address == "127.0.0.1:50051" && !files.isTLS)
    #expect(configuration.session.id.hasPrefix("edge-"))
    #expect(configuration.audio.rate == .hz48000 && configuration.audio.reference == .automatic)
    #expect(configuration.microphone.open == .whenNeeded && configuration.microphone.lamps.isEmpty)
    #expect(configuration.keys.actions == [.micMute: .mute])
    #expect(configuration.routes.policy == .priority)
    #expect(configuration.routes.ports.map(\.input) == ["default"])
    #expect(configuration.routes.ports.map(\.output) == ["default"])
    #expect(configuration.programs.voice == nil && configuration.mute.audio == .staysLocal)
    #expect(configuration.programs.desktop == .none)
    #expect(configuration.programs.media == .automatic && configuration.calls.begin == .automatic)
    #expect(configuration.programs.sessionBus == nil)
    #expect(configuration.fallback == .light && configuration.controlSocket != nil)
  }

  @Test(arguments: ["none", "\"\""])
  func theSocketCanBeDisabled(value: String) throws {
    let text = "control_socket: \(value)\nprograms: {voice: none}\n"
    let configuration = try EdgeConfiguration.read(text, file: "edge.yaml").values
    #expect(configuration.controlSocket == nil && configuration.programs.voice == nil)
  }

  @Test(arguments: ["tls: true", "ca_file: /a", "tls_server_name: a"])
  func eachKeyOfTLSAsksForIt(key: String) throws {
    let configuration = try EdgeConfiguration.read("server: {\(key)}", file: "edge.yaml").values
    #expect(configuration.server.files.isWanted)
  }

  @Test func aTokenIsSentOverTLSOrToThisMachine() throws {
    for server in [
      "tls: true, address: voice.example:443", "address: unix:/run/a", "address: localhost:1",
    ] {
      let text = "server: {\(server), token_file: /token}"
      #expect(try EdgeConfiguration.read(text, file: "edge.yaml").values.server.credentials != nil)
    }
    let plaintext = "server:\n  address: voice.example:443\n  token_file: /token\n"
    let problem = problem(plaintext)
    #expect(problem.contains("edge.yaml:3"), "\(problem)")
    #expect(problem.contains("without TLS"), "\(problem)")
  }

  private static let complete = """
    server:
      address: voice.example:443
      tls: yes
      ca_file: /ca.pem
      certificate: /client.pem
      key: /client.key
      tls_server_name: other.example
    session:
      id: kitchen
      client: kitchen-agent
      engine: delay
      config:
        preferredMicMode: MIC_MODE_VOICE_ISOLATION
        voiceActivityDetection: {enabled: true}
        voiceProcessing:
          noiseSuppression: {enabled: true, level: LEVEL_HIGH}
    audio:
      rate: 16000
      input_channels: 2
      output_channels: 1
      periods: 6
      volume_db: -12.5
      reference: tap
      tuning: /etc/tuning.yaml
    routes:
      policy: follows-use
      ports:
        - id: desk
          name: The desk
          type: usb
          input: hw:Desk
          output: hw:Desk,1
          loopback: hw:Desk,2
          control: hw:Desk,3
          headphones: true
          product: lamp
          priority: -5
        - {id: headset, input: hw:Headset}
    programs:
      far_end: alsa:hw:Loopback,1
      far_end_channels: 2
      other_audio: fifo:/run/music
      other_audio_channels: 1
      voice: file:/tmp/voice.wav
      desktop: unix:/run/pulse
      desktop_memory: /var/lib/streams.json
      media: pause
      media_memory: /var/lib/players.json
      session_bus: unix:path=/run/bus
    mute:
      start_muted: on
      muted_audio: stays-local
      keys: [/dev/input/a, /dev/input/b]
      lamps: /sys/led
      gesture_command: ask-somebody
    microphone:
      open: when-needed
      lamps: [/sys/red]
    keys:
      mic_mute: none
      play_pause: mute
      hook_switch: command
      ring: none
      command: answer
    fallback: pass-through
    control_socket: /run/edge.sock
    """
}
