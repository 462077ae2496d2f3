/// Playing into sinks and recording from monitors.
extension SoundRig {
  /// Starts to play, without waiting for the end. `role` is the purpose of the stream. Samples of several channels are interleaved.
  public func play(
    _ samples: [Float], channels: Int = 1, rate: Int = 48000, into sink: String,
    role: String? = nil
  ) throws -> Playing {
    let stream = try player(
      into: sink, channels: channels, rate: rate, latencyMilliseconds: 20, role: role)
    return Playing(samples, stream)
  }

  /// Records one channel at 48 kHz from a source, such as "micbus.monitor". Returns when the first
  /// sound has arrived, or after 1 s.
  public func record(from source: String) throws -> Recording {
    let recording = Recording(try recorder(from: source, latencyMilliseconds: 20))
    _ = recording.wait(forSamples: 1, within: .seconds(1))
    return recording
  }

  /// A program, and this process's end of the pipe to it.
  typealias Stream = (process: ChildProcess, pipe: Descriptor)

  func player(
    into sink: String, channels: Int, rate: Int, latencyMilliseconds: Int, role: String? = nil
  ) throws(SoundRigError) -> Stream {
    let pipe = try Descriptor.pipe()
    let process = try ChildProcess(
      "pacat",
      Self.options(sink, channels: channels, rate: rate, latencyMilliseconds: latencyMilliseconds)
        + (role.map { ["--property=media.role=\($0)"] } ?? []),
      environment: server(of: sink).variables, input: pipe.reader)
    RealTime.enter(process: process.identifier)
    return (process, pipe.writer)
  }

  func recorder(
    from source: String, latencyMilliseconds: Int
  ) throws(SoundRigError) -> Stream {
    let pipe = try Descriptor.pipe()
    let process = try ChildProcess(
      "parec",
      Self.options(source, channels: 1, rate: 48000, latencyMilliseconds: latencyMilliseconds),
      environment: server(of: source).variables, output: pipe.writer)
    RealTime.enter(process: process.identifier)
    return (process, pipe.reader)
  }

  private static func options(
    _ device: String, channels: Int, rate: Int, latencyMilliseconds: Int
  ) -> [String] {
    [
      "--raw", "--format=float32le", "--rate=\(rate)", "--channels=\(channels)",
      "--latency-msec=\(latencyMilliseconds)", "-d", device,
    ]
  }
}
