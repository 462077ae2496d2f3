internal import CPulse

/// A connection to a PulseAudio server. Every wait has a limit. An answer that takes longer ends the
/// connection.
final class PulseServer: SoundServer {
  /// The longest time that the server may take for an answer.
  private static let patience = Duration.seconds(2)

  private let loop: OpaquePointer
  private let context: OpaquePointer
  private let news = News()

  /// Whether a stream has changed since the last wait.
  private final class News {
    var hasCome = false
  }

  init(address: String?) throws(StreamServerError) {
    guard let loop = pa_mainloop_new() else { throw StreamServerError("libpulse has no memory") }
    guard let context = pa_context_new(pa_mainloop_get_api(loop), "anechoic-edge") else {
      pa_mainloop_free(loop)
      throw StreamServerError("libpulse has no memory")
    }
    (self.loop, self.context) = (loop, context)
    guard cpulse_connect(context, address) >= 0 else { throw error() }
    try wait { cpulse_is_ready(context) != 0 }
    pa_context_set_subscribe_callback(
      context,
      { _, _, _, news in
        guard let news else { return }
        Unmanaged<News>.fromOpaque(news).takeUnretainedValue().hasCome = true
      }, Unmanaged.passUnretained(news).toOpaque())
    if let watching = cpulse_watch_streams(context) { pa_operation_unref(watching) }
  }

  deinit {
    pa_context_set_subscribe_callback(context, nil, nil)
    pa_context_disconnect(context)
    pa_context_unref(context)
    pa_mainloop_free(loop)
  }

  private final class List<Element> {
    var elements: [Element] = []
  }

  func streams() throws(StreamServerError) -> [ProgramStream] {
    let list = List<ProgramStream>()
    let asked = pa_context_get_sink_input_info_list(
      context,
      { _, info, _, list in
        guard let list, let info, let stream = ProgramStream(info) else { return }
        Unmanaged<List<ProgramStream>>.fromOpaque(list).takeUnretainedValue()
          .elements.append(stream)
      }, Unmanaged.passUnretained(list).toOpaque())
    try finish(asked)
    return withExtendedLifetime(list) { list.elements }
  }

  func recorders() throws(StreamServerError) -> [RecordingProgram] {
    let list = List<RecordingProgram>()
    let asked = pa_context_get_source_output_info_list(
      context,
      { _, info, _, list in
        guard let list, let info, let program = RecordingProgram(info) else { return }
        Unmanaged<List<RecordingProgram>>.fromOpaque(list).takeUnretainedValue()
          .elements.append(program)
      }, Unmanaged.passUnretained(list).toOpaque())
    try finish(asked)
    return withExtendedLifetime(list) { list.elements }
  }

  func setVolume(_ volume: [UInt32], of index: UInt32) throws(StreamServerError) {
    var values = pa_cvolume()
    pa_cvolume_init(&values)
    values.channels = UInt8(clamping: volume.count)
    withUnsafeMutableBytes(of: &values.values) { bytes in
      let places = bytes.bindMemory(to: UInt32.self)
      for (place, value) in zip(places.indices, volume) { places[place] = value }
    }
    try finish(pa_context_set_sink_input_volume(context, index, &values, nil, nil))
  }

  func wait(_ time: Duration) throws(StreamServerError) -> Bool {
    if !news.hasCome { try iterate(time) }
    defer { news.hasCome = false }
    return news.hasCome
  }

  /// Waits for the end of an operation. After the limit, cancels it, so that no answer comes later.
  private func finish(_ operation: OpaquePointer?) throws(StreamServerError) {
    guard let operation else { throw error() }
    defer { pa_operation_unref(operation) }
    do throws(StreamServerError) {
      try wait { cpulse_is_running(operation) == 0 }
    } catch {
      pa_operation_cancel(operation)
      throw error
    }
  }

  private func wait(until isDone: () -> Bool) throws(StreamServerError) {
    let end = ContinuousClock.now + Self.patience
    while !isDone() {
      guard ContinuousClock.now < end else {
        throw StreamServerError("the sound server does not answer")
      }
      try iterate(.milliseconds(50))
    }
  }

  /// Waits for one event of the server, and handles it.
  private func iterate(_ time: Duration) throws(StreamServerError) {
    var code = pa_mainloop_prepare(loop, Int32(time / .microseconds(1)))
    if code >= 0 { code = pa_mainloop_poll(loop) }
    if code >= 0 { code = pa_mainloop_dispatch(loop) }
    guard code >= 0, cpulse_has_failed(context) == 0 else { throw error() }
  }

  private func error() -> StreamServerError {
    StreamServerError(String(cString: pa_strerror(pa_context_errno(context))))
  }
}

extension ProgramStream {
  /// Creates a stream from libpulse's description. Nil for streams of the server's own modules, and
  /// for those without a volume that can be set.
  fileprivate init?(_ info: UnsafePointer<pa_sink_input_info>) {
    guard cpulse_has_client(info) != 0 else { return nil }
    var values = info.pointee
    guard values.has_volume != 0, values.volume_writable != 0 else { return nil }
    func property(_ name: String) -> String? {
      pa_proplist_gets(info.pointee.proplist, name).map { String(cString: $0) }
    }
    let count = Int(values.volume.channels)
    let volume = withUnsafeBytes(of: &values.volume.values) { bytes in
      Array(bytes.bindMemory(to: UInt32.self).prefix(count))
    }
    self.init(
      index: values.index,
      identity: property("module-stream-restore.id")
        ?? property("application.name").map { "application-name:\($0)" }
        ?? "index:\(values.index)",
      role: property("media.role") ?? "",
      process: property("application.process.id").flatMap { Int32($0) }, volume: volume,
      isPlaying: values.corked == 0 && values.mute == 0)
  }
}

extension RecordingProgram {
  /// The way in which the server makes the levels of a volume meter.
  private static let meter = "peaks"

  /// Creates a program from libpulse's description of its stream. Nil for streams of the server's own
  /// modules, for paused ones, and for volume meters.
  fileprivate init?(_ info: UnsafePointer<pa_source_output_info>) {
    let values = info.pointee
    guard cpulse_recorder_has_client(info) != 0, values.corked == 0,
      values.resample_method.map({ String(cString: $0) }) != Self.meter
    else { return nil }
    func property(_ name: String) -> String? {
      pa_proplist_gets(values.proplist, name).map { String(cString: $0) }
    }
    self.init(
      application: property("application.name") ?? "a program",
      process: property("application.process.id").flatMap { Int32($0) })
  }
}

/// The PulseAudio server of this desktop. PipeWire offers the same interface.
public struct PulseServers: StreamServers {
  private let address: String?

  /// Creates the server with an address such as `unix:/run/user/1000/pulse/native`. Nil is the default
  /// server of the user.
  public init(address: String? = nil) { self.address = address }

  public func connect() throws(StreamServerError) -> any SoundServer {
    try PulseServer(address: address)
  }
}
