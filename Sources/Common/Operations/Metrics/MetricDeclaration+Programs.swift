/// The metrics of `anechoic-server`. docs/reference/metrics.md has the same list.
extension MetricDeclaration {
  /// All metrics of a server, in the order of the exposition.
  public static let server: [MetricDeclaration] = [
    buildInfo, sessions, sessionCapacity, capacityUsed, ready, sessionsStarted, sessionsEnded,
    sessionsRefused, sessionsReduced, framesProcessed, frameProcessing, frameLateness, threadLoad,
    threadAdmitted, threadLateness, threadsOverloaded, realtimeFactor, referenceMissing,
    samplesConcealed,
    outputChunksDropped, echoReduction, echoDelay, drift, voiceTransitions, muteGestures,
    callsStarted, callsHandled, messagesReceived, messagesSent, callDuration,
    logLines, logLinesLost, auditLinesLost, operatorRequests,
    reloads, keysFetched, certificateExpiry, handshakesFailed, handshakesClosed,
    spansExported, spansDropped,
    processorTime, residentMemory, openFiles, mostOpenFiles, startTime,
  ]

  public static let buildInfo = MetricDeclaration(
    "anechoic_build_info", .gauge,
    labels: [
      Label("version", "the version of the program"),
      Label("swift", "the version of the compiler"),
      Label("commit", "the commit that the program was built from, or unknown"),
    ],
    unit: "1", help: "The build of the program. The value is always 1.")

  public static let sessions = MetricDeclaration(
    "anechoic_sessions", .gauge, unit: "sessions", help: "The sessions that run now.")

  public static let sessionCapacity = MetricDeclaration(
    "anechoic_session_capacity", .gauge, unit: "sessions",
    help: "The maximum number of sessions that may run at the same time.")

  public static let capacityUsed = MetricDeclaration(
    "anechoic_capacity_used_ratio", .gauge, unit: "ratio",
    help: """
      The sessions by their maximum number, or the mean of anechoic_thread_admitted_ratio if that is \
      higher. At about 1 the server refuses sessions.
      """)

  public static let ready = MetricDeclaration(
    "anechoic_ready", .gauge, unit: "boolean",
    help: "Whether the server takes new sessions, as /readyz says.")

  public static let sessionsReduced = MetricDeclaration(
    "anechoic_sessions_reduced", .gauge, unit: "sessions",
    help: "The sessions that run with less processing because their thread was late.")

  public static let frameLateness = MetricDeclaration(
    "anechoic_frame_lateness_seconds", .histogram, unit: "seconds",
    bounds: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
    help: """
      The time by which a frame was processed after the next message of its session was due, in \
      real time. 0 if it was processed before. Clients and networks that are late count too.
      """)

  private static let thread = Label("thread", "the number of the thread, from 0")

  public static let threadLoad = MetricDeclaration(
    "anechoic_thread_load_ratio", .gauge, labels: [thread], unit: "ratio",
    help: """
      The share of its time for which a thread ran or waited for a processor, smoothed over 2 s.
      """)

  public static let threadAdmitted = MetricDeclaration(
    "anechoic_thread_admitted_ratio", .gauge, labels: [thread], unit: "ratio",
    help: """
      The load of a thread, or the expected load of its sessions if that is higher, divided by the \
      frame budget. At least 1 while the thread is overloaded, 0 without a budget.
      """)

  public static let threadLateness = MetricDeclaration(
    "anechoic_thread_lateness_seconds", .gauge, labels: [thread], unit: "seconds",
    help: """
      The lateness of the session of a thread that is least late. 0 while the load of the thread is \
      below 0.7, because then clients or networks are late.
      """)

  public static let threadsOverloaded = MetricDeclaration(
    "anechoic_threads_overloaded", .gauge, unit: "threads",
    help: """
      The threads that are late, or were within the last 10 s or more, and take no sessions if \
      there is a frame budget.
      """)

  public static let sessionsStarted = MetricDeclaration(
    "anechoic_sessions_started_total", .counter,
    labels: [Label("engine", "the name of the session's engine")], unit: "sessions",
    help: "The sessions that were started.")

  public static let sessionsEnded = MetricDeclaration(
    "anechoic_sessions_ended_total", .counter,
    labels: [
      Label(
        "reason",
        """
        client_closed, client_lost, deleted, idle, max_duration, slow_consumer, server_shutdown, \
        other
        """)
    ], unit: "sessions", help: "The sessions that have ended, by their reason.")

  public static let sessionsRefused = MetricDeclaration(
    "anechoic_sessions_refused_total", .counter,
    labels: [Label("reason", "the reason of the error, such as SERVER_FULL, or other")],
    unit: "sessions", help: "The sessions that were refused at their start, by the reason.")

  public static let framesProcessed = MetricDeclaration(
    "anechoic_frames_processed_total", .counter, unit: "frames",
    help: "The frames of 10 ms that were processed.")

  public static let frameProcessing = MetricDeclaration(
    "anechoic_frame_processing_seconds", .histogram, unit: "seconds",
    bounds: [
      0.000_025, 0.000_05, 0.000_1, 0.000_15, 0.000_2, 0.000_3, 0.000_5, 0.000_75, 0.001, 0.002,
      0.005, 0.01,
    ],
    help: "The time to process a frame of 10 ms. Frames of one message count with their mean.")

  public static let realtimeFactor = MetricDeclaration(
    "anechoic_realtime_factor", .gauge, unit: "ratio",
    help: """
      The time spent on processing, divided by the duration of the processed audio, over the last \
      10 s or more.
      """)

  public static let referenceMissing = MetricDeclaration(
    "anechoic_reference_missing_frames_total", .counter, unit: "frames",
    help: "The frames that were processed without the echo reference that they need.")

  public static let samplesConcealed = MetricDeclaration(
    "anechoic_samples_concealed_total", .counter, unit: "samples",
    help: "The missing samples of all inputs that were concealed.")

  public static let outputChunksDropped = MetricDeclaration(
    "anechoic_output_chunks_dropped_total", .counter, unit: "chunks",
    help: "The chunks of output that were dropped because the client did not read them in time.")

  public static let echoReduction = MetricDeclaration(
    "anechoic_erle_db", .histogram, unit: "dB", bounds: [0, 3, 6, 10, 15, 20, 25, 30, 40, 50],
    help: """
      The echo return loss enhancement. Each session with a converged canceller is observed once \
      for each second of audio in which the reference sounds.
      """)

  public static let echoDelay = MetricDeclaration(
    "anechoic_echo_delay_seconds", .histogram, unit: "seconds",
    bounds: [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1],
    help: """
      The delay of the echo behind its reference. Each session with a known delay is observed once \
      for each second of audio.
      """)

  public static let drift = MetricDeclaration(
    "anechoic_drift_ppm", .histogram, unit: "parts per million",
    bounds: [1, 5, 10, 25, 50, 100, 200, 500, 1000],
    help: """
      The magnitude of the drift between the clocks of reference and microphone. Each session with \
      a known drift is observed once for each second of audio.
      """)

  public static let voiceTransitions = MetricDeclaration(
    "anechoic_voice_transitions_total", .counter,
    labels: [Label("side", "near_end, far_end"), Label("muted", "true, false")],
    unit: "events", help: "The starts and ends of speech that sessions reported.")

  public static let muteGestures = MetricDeclaration(
    "anechoic_mute_gestures_total", .counter,
    labels: [Label("outcome", "applied, rejected, timed_out, ignored")], unit: "gestures",
    help: "The mute gestures that were decided.")

  public static let logLines = MetricDeclaration(
    "anechoic_log_lines_total", .counter, unit: "lines",
    help: "The lines of the log that were written.")

  public static let logLinesLost = MetricDeclaration(
    "anechoic_log_lines_lost_total", .counter, unit: "lines",
    help: "The lines of the log that were lost because standard error did not accept them.")

  public static let auditLinesLost = MetricDeclaration(
    "anechoic_audit_lines_lost_total", .counter, unit: "lines",
    help:
      "The lines of the audit log that were lost because its file, or standard error, did not accept them."
  )

  public static let operatorRequests = MetricDeclaration(
    "anechoic_http_requests_total", .counter,
    labels: [Label("code", "the status code of HTTP")], unit: "requests",
    help: "The requests of operators that were answered over HTTP.")

  public static let reloads = MetricDeclaration(
    "anechoic_reloads_total", .counter,
    labels: [
      Label("part", "settings, certificates, keys, audit_log"),
      Label("outcome", "applied, failed"),
    ], unit: "reloads",
    help:
      "The times that a part was read again while the server ran. If that failed, the old one stays."
  )

  public static let keysFetched = MetricDeclaration(
    "anechoic_token_keys_fetched_timestamp_seconds", .gauge, unit: "seconds",
    help: """
      The time of the last successful fetch of the keys at authentication.jwt_keys_url, in seconds since \
      1970; 0 before it.
      """)

  public static let certificateExpiry = MetricDeclaration(
    "anechoic_certificate_expiry_timestamp_seconds", .gauge,
    labels: [Label("certificate", "server, client_ca")], unit: "seconds",
    help: """
      The end of the validity of the certificates in use, in seconds since 1970: of the server's chain \
      the earliest end, of the authorities of clients the latest.
      """)

  public static let handshakesFailed = MetricDeclaration(
    "anechoic_tls_handshakes_failed_total", .counter,
    labels: [
      Label(
        "reason",
        """
        no_certificate, certificate_refused, refused_by_client, not_tls, no_http2, \
        version_or_cipher, timeout, other
        """)
    ], unit: "handshakes",
    help: "The TLS handshakes that failed, by the reason.")

  public static let handshakesClosed = MetricDeclaration(
    "anechoic_tls_connections_closed_early_total", .counter, unit: "connections",
    help: """
      The connections that clients closed before TLS was established, without a reason: those of \
      load balancers and commands that look whether the port is open.
      """)

  public static let spansExported = MetricDeclaration(
    "anechoic_trace_spans_exported_total", .counter, unit: "spans",
    help: "The spans of traces that the collector has taken.")

  public static let spansDropped = MetricDeclaration(
    "anechoic_trace_spans_dropped_total", .counter,
    labels: [Label("reason", "queue_full, refused, shutdown")], unit: "spans",
    help: """
      The spans of traces that did not reach the collector: it was away or slow for so long that \
      the queue was full, it refused them, or the server stopped.
      """)

  public static let processorTime = MetricDeclaration(
    "process_cpu_seconds_total", .counter, unit: "seconds",
    help: "The processor time of the process, user and system.")

  public static let residentMemory = MetricDeclaration(
    "process_resident_memory_bytes", .gauge, unit: "bytes",
    help: "The resident memory of the process.")

  public static let openFiles = MetricDeclaration(
    "process_open_fds", .gauge, unit: "files", help: "The open file descriptors of the process.")

  public static let mostOpenFiles = MetricDeclaration(
    "process_max_fds", .gauge, unit: "files",
    help: "The maximum number of open file descriptors of the process.")

  public static let startTime = MetricDeclaration(
    "process_start_time_seconds", .gauge, unit: "seconds",
    help: "The start of the process, in seconds since 1970 by the wall clock at the start.")
}

/// The metrics of `anechoic-edge`, which `anechoic-edge metrics` prints.
extension MetricDeclaration {
  /// All metrics of an agent.
  public static let edge: [MetricDeclaration] = [
    edgeUp, xruns, edgeConnected, edgeCall, microphoneOpen, loweredStreams,
  ]

  public static let edgeUp = MetricDeclaration(
    "anechoic_edge_up", .gauge, unit: "boolean",
    help: "Whether the agent answers. If it does not, the other metrics are left out.")

  public static let xruns = MetricDeclaration(
    "anechoic_xruns_total", .counter, labels: [Label("direction", "capture, playback")],
    unit: "xruns", help: "The overruns of the microphone and the underruns of the loudspeaker.")

  public static let edgeConnected = MetricDeclaration(
    "anechoic_edge_connected", .gauge, unit: "boolean",
    help: "Whether the agent has a session on its server.")

  public static let edgeCall = MetricDeclaration(
    "anechoic_edge_call", .gauge, unit: "boolean",
    help: "Whether there is a call, so that the agent needs a session.")

  public static let microphoneOpen = MetricDeclaration(
    "anechoic_edge_microphone_open", .gauge, unit: "boolean",
    help: "Whether the microphone is open.")

  public static let loweredStreams = MetricDeclaration(
    "anechoic_edge_lowered_streams", .gauge, unit: "streams",
    help: "The streams of other programs that are lowered.")
}
