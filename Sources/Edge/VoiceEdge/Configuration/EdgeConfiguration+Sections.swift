internal import AnechoicAPI
internal import AudioCore
internal import Settings

extension EdgeConfiguration {
  static let serverSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "server.address", flag: "server", \.server.address, .serverAddress,
      "The address of the server. Unix sockets use no TLS"),
    Setting(
      "server.tls", \.server.files.isTLS, .boolean,
      """
      Whether to encrypt the connection and verify the server's certificate. Each of the next four \
      keys also enables TLS
      """),
    Setting(
      "server.ca_file", \.server.files.authorities, .optional(.namedFile),
      "The trusted authorities, PEM", unset: "the authorities that the system trusts"),
    Setting(
      "server.certificate", \.server.files.certificate, .optional(.namedFile),
      "The certificate of this machine, PEM, for a server that requires client certificates"),
    Setting(
      "server.key", \.server.files.key, .optional(.namedFile),
      "The private key of the certificate, PEM"),
    Setting(
      "server.tls_server_name", \.server.files.serverName,
      .optional(.filledText("name", allowed: "any name")), "The name in the server's certificate",
      unset: "the host in the address"),
    Setting(
      "server.token_file", \.server.tokenFile, .optional(.path),
      """
      A file with the token (JSON Web Token) for a server that requires one. It is read again \
      when it changes. Needs TLS, unless the server is on this machine
      """),
  ]

  static let sessionSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "session.id", flag: "session-id", \.session.id, .identifier,
      "The id of the session on the server", unset: "edge- and this machine's host name"),
    Setting(
      "session.client", flag: "session-client", \.session.client, .clientName,
      "The client name that the agent sends to the server"),
    Setting(
      "session.engine", \.session.engine,
      .filledText("name", allowed: "a name that anechoic capabilities lists"),
      """
      The engine on the server. Processing on this machine uses the default engine of the agent
      """, unset: "the server's default engine"),
    Setting(
      "session.share", \.session.share, .optional(.path),
      """
      Let another device play the session: the agent writes the ticket with which it joins into \
      this file, with mode 0600. Excludes audio.reference: tap. See docs/features/two-devices.md
      """),
    Setting(
      "session.join", \.session.join, .optional(.path),
      """
      Play the session of another device, whose ticket is in this file. The agent then has no \
      microphone, no connections to programs, and no session of its own
      """),
    Setting(
      "session.voiceprint", \.session.voiceprint, .optional(.namedFile),
      """
      The file with the voice that VOICE_ISOLATION keeps. anechoic-edge voice learn writes it, with \
      mode 0600; one of anechoic process --save-voiceprint serves too. Without a file, a voice that \
      was learnt is kept until the agent stops. See docs/features/isolation.md
      """),
    Setting(
      "session.join_buffer_ms", \.session.joinBuffer, .milliseconds(10...400),
      """
      The least margin of the buffer of a joined session in ms: more for a network with more jitter
      """),
    Setting(
      "session.config", \.session.configuration, .sessionConfiguration,
      """
      The configuration of the session, such as {preferred_mic_mode: MIC_MODE_VOICE_ISOLATION}. \
      See docs/reference/process.md
      """),
  ]

  static let audioSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "audio.rate", \.audio.rate, .words(SampleRate.allCases.map { ("\($0.hertz)", $0) }),
      """
      The sample rate of the session in Hz. The agent opens a device that does not support this \
      rate at another of them, and converts
      """),
    Setting(
      "audio.input_channels", \.audio.inputChannels, .integer(1...2),
      "The number of channels of the microphone and the processed voice"),
    Setting(
      "audio.output_channels", \.audio.outputChannels, .integer(1...2),
      "The number of channels of the loudspeaker"),
    Setting(
      "audio.periods", \.audio.periods, .integer(2...32),
      """
      The size of a device's buffer in periods of 10 ms. A larger buffer is safer and adds \
      latency. Devices with periods longer than 50 ms are refused
      """),
    Setting(
      "audio.volume_db", \.audio.volume, .number(-60...0), "The gain of the loudspeaker in dB"),
    Setting(
      "audio.reference", \.audio.reference, .reference,
      """
      The echo reference. With auto, the loopback of the port if it has one, otherwise reports; \
      with desktop, and with auto and programs.desktop for an output pulse or pulse:NAME, the \
      loopback is the monitor of the sound server, which hears all programs; with reports, the \
      agent tells the server when its mix was heard, in a few bytes ten times a second; with tap, \
      it sends the samples that it plays, after its gain; alsa:PCM names a capture PCM that hears \
      all programs, which is the loopback of each port that names none and has no headphones
      """),
    Setting(
      "audio.tuning", \.audio.tuning, .optional(.namedFile),
      """
      A file with tunings of products: filters of the microphone and the loudspeaker, level, \
      delay and echo strength. anechoic-edge tune measures and writes them. See \
      docs/reference/edge.md
      """),
  ]

  static let routingSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "routing.headsets", flag: "routing-headsets", \.switching.headsets,
      .list("id", allowed: "ids of ports; repeatable"),
      """
      The ports that are shared headsets. The port of a headset has the same id on each machine. \
      Without any, this machine takes no part
      """),
    Setting(
      "routing.group", flag: "routing-group", \.switching.group, .identifier,
      """
      The group of machines. With verified clients, each principal has groups of its own, and none \
      needs a name
      """),
    Setting(
      "routing.machine", flag: "routing-machine", \.switching.machine, .identifier,
      "The name of this machine in the group", unset: "this machine's host name"),
    Setting(
      "routing.call", flag: "routing-call", \.switching.call, .choice,
      """
      The sign of a call for the arbiter. With automatic, it is a call by the rule of calls.begin \
      that a program takes part in, or the sound of the far end; with far-end, programs.far_end \
      sounds, and pauses of up to 10 s belong to the call; with voice, a program reads \
      programs.voice, which must be a FIFO
      """),
  ]

  static let programsSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "programs.far_end", \.programs.farEnd, .endpoint,
      "The place where programs play the other side of the call"),
    Setting(
      "programs.far_end_channels", \.programs.farEndChannels, .integer(1...2),
      "The number of channels of the other side"),
    Setting(
      "programs.far_ends", \.programs.farEnds, .farEnds,
      """
      Further far ends, each with a name and a place, for several people or programs. A program \
      plays one to its FIFO, or by its name with EdgeService.PlayFarEnd. See \
      docs/features/spatial-audio.md
      """),
    Setting(
      "programs.spare_far_ends", \.programs.spareFarEnds, .integer(0...16),
      """
      The number of far ends beside those of programs.far_ends, for programs that choose a name \
      themselves with EdgeService.PlayFarEnd. Both together are 16 at most
      """),
    Setting(
      "programs.other_audio", \.programs.otherAudio, .endpoint,
      "The place where programs play music and prompts, which ducking lowers"),
    Setting(
      "programs.other_audio_channels", \.programs.otherAudioChannels, .integer(1...2),
      "The number of channels of music and prompts"),
    Setting(
      "programs.voice", \.programs.voice, .endpoint,
      "The place where programs record the processed voice"),
    Setting(
      "programs.desktop", \.programs.desktop, .desktop,
      """
      A PulseAudio server or PipeWire, on which the agent lowers what other programs play, as the \
      session lowers other audio; auto is the server of this user. Notifications, screen readers \
      and calls keep their volume
      """),
    Setting(
      "programs.desktop_memory", \.programs.desktopMemory, .optional(.wholePath),
      "The file that remembers the lowered streams until they are restored",
      unset: "$XDG_STATE_HOME/anechoic-edge/lowered-streams.json, or else below ~/.local/state"),
    Setting(
      "programs.media", \.programs.media, .choice,
      """
      The effect of a call on the media players of the desktop (programs with the MPRIS interface \
      on the session bus). With leave, they go on; with pause, they are paused when a call begins, \
      and those that are still paused are resumed when it ends; with automatic, they are paused \
      with programs.desktop, and go on without; with arbiter, they are paused and resumed only \
      when the arbiter of automatic switching asks for it
      """),
    Setting(
      "programs.media_memory", \.programs.mediaMemory, .optional(.wholePath),
      "The file that remembers the paused players until they are resumed",
      unset: "$XDG_STATE_HOME/anechoic-edge/paused-players.json, or else below ~/.local/state"),
    Setting(
      "programs.session_bus", \.programs.sessionBus, .bus,
      "The session bus; auto is the bus of this user"),
    Setting(
      "programs.system_bus", \.programs.systemBus, .bus,
      """
      The system bus, where logind tells that the machine is about to sleep; auto is that of the \
      machine, if it has one
      """),
  ]

  static let microphoneSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "microphone.open", flag: "microphone-open", \.microphone.open, .choice,
      """
      The times at which the microphone is open: always, or when-needed, which is while there is a \
      call and a session processes the voice. A muted microphone is then open only if the muted \
      talker is to be detected and the device's capture switch is on. Opening takes a moment, so \
      the first syllable after an unmute may be lost
      """),
    Setting(
      "microphone.lamps", flag: "microphone-lamps", \.microphone.lamps, .lamps,
      """
      Files that the agent sets to 1 while the sound of the microphone reaches the server or a \
      program, and to 0 otherwise
      """),
  ]

  static let muteSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "mute.start_muted", \.mute.startsMuted, .boolean, "Whether the agent starts muted"),
    Setting(
      "mute.muted_audio", \.mute.audio, .choice,
      """
      The way of a muted microphone's sound. With stays-local, nothing leaves this machine: the \
      agent itself detects the muted talker, with the microphone open and its lamps dark; with \
      sent, the server detects the muted talker and gives the sound to nobody; with closed, the \
      microphone is closed and nobody detects anything
      """),
    Setting(
      "mute.keys", flag: "mute-keys", \.mute.keys, .keyDevices,
      """
      Devices with keys: input devices (/dev/input/...), HID devices with telephone keys \
      (/dev/hidraw0), FIFOs with the data of an input device, name: and the name of an input \
      device, or bluez for the buttons of Bluetooth headsets through bluetoothd (play_pause \
      below). The devices may appear later. A file that is none of these, or cannot be read, is \
      an error. Name a headset's input device or its HID device, not both, or each press of its \
      mute key counts twice
      """),
    Setting(
      "mute.lamps", flag: "mute-lamps", \.mute.lamps, .lamps,
      "Files that the agent sets to 1 while muted and to 0 otherwise"),
    Setting(
      "mute.gesture_command", \.mute.gestureCommand, .optional(.command),
      """
      A shell command that decides a press if the session's gesture policy is ASK. ANECHOIC_MUTED \
      is true or false, the requested state. Exit status 0 within 5 s accepts
      """, unset: "accept"),
    Setting(
      "mute.talker_blinks", \.mute.notice.blinks, .boolean,
      "Whether the mute lamps blink twice a second while a person talks muted"),
    Setting(
      "mute.talker_notification", \.mute.notice.notification, .choice,
      """
      Whether the desktop shows a notification while a person talks muted: on, off, or automatic, \
      which is on with programs.desktop. Uses the notification service of programs.session_bus
      """),
    Setting(
      "mute.talker_command", \.mute.notice.command, .optional(.command),
      """
      A shell command, which runs when a person begins to talk muted and when that ends, for 5 s \
      at most. ANECHOIC_TALKING is true or false
      """),
    Setting(
      "mute.talker_chime", \.mute.notice.chimes, .boolean,
      "Whether the loudspeaker plays a chime when a person begins to talk muted"),
  ]

  static let keysSection: [Setting<EdgeConfiguration>] =
    HeadsetKey.allCases.map { key in
      Setting(
        "keys.\(key.rawValue.replacing("-", with: "_"))", flag: "keys-\(key.rawValue)", \.keys[key],
        .choice, key.help)
    } + [
      Setting(
        "keys.command", flag: "keys-command", \.keys.command, .optional(.command),
        """
        A shell command, which runs for each event, one after another, for 5 s at most. \
        ANECHOIC_KEY is mic-mute, play-pause, hook-switch or ring. ANECHOIC_PRESSED is true or \
        false; only hook-switch and ring report false
        """)
    ]

  static let otherSettings: [Setting<EdgeConfiguration>] = [
    Setting(
      "fallback", \.fallback, .choice,
      """
      The processing on this machine while there is no server: light is echo cancellation, a \
      high-pass filter, voice activity, muted talker and ducking; full is everything that \
      session.config requests; pass-through is the microphone, unchanged; silence is nothing
      """),
    Setting(
      "control_socket", \.controlSocket, .controlSocket,
      "The socket of the local control, for anechoic-edge status, mute and others",
      unset: """
        /run/anechoic-edge/control.sock if the agent may write there, otherwise \
        $XDG_RUNTIME_DIR/anechoic-edge/control.sock, otherwise /tmp/anechoic-edge-UID/control.sock
        """),
  ]
}

extension HeadsetKey {
  fileprivate var help: String {
    switch self {
    case .micMute: "The effect of KEY_MICMUTE, and of the HID usage Phone Mute"
    case .playPause:
      "The effect of KEY_PLAYPAUSE, KEY_PLAY, KEY_PLAYCD, KEY_PAUSECD and KEY_MEDIA"
    case .hookSwitch:
      """
      The effect of KEY_PHONE, KEY_PICKUP_PHONE and KEY_HANGUP_PHONE, and of the HID usage Hook \
      Switch
      """
    case .ring: "The effect of the HID usage Ringer"
    }
  }
}
