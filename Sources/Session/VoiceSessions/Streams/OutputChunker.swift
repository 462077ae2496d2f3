internal import AudioCodecs
internal import AudioCore

/// An output of a session.
enum OutputKind { case processed, playback, recognizer, raw }

/// Collects frames of the outputs and emits them in chunks.
struct OutputChunker: ~Copyable {
  /// The samples by which the decoded samples of each output are later than their indexes: the
  /// look-ahead of an Opus encoder.
  let lookAheads: (processed: Int, playback: Int, recognizer: Int, raw: Int)
  private let framesPerChunk: Int
  private var processed: ChunkBuffer
  private var playback: ChunkBuffer?
  private var recognizer: ChunkBuffer?
  private var raw: ChunkBuffer?
  private let infos: UnsafeMutableBufferPointer<FrameInfo>
  private var frameCount = 0

  init(_ setup: SessionSetup) {
    let frames = setup.framesPerChunk
    framesPerChunk = frames
    let processed = ChunkBuffer(setup.processed, frames: frames, for: .speech)
    let playback = setup.playback.map { ChunkBuffer($0, frames: frames, for: .any) }
    let recognizer = setup.recognizer.map { ChunkBuffer($0, frames: frames, for: .speech) }
    let raw = setup.raw.map { ChunkBuffer($0, frames: frames, for: .any) }
    lookAheads = (
      processed.lookAheadSamples, Self.lookAhead(playback), Self.lookAhead(recognizer),
      Self.lookAhead(raw)
    )
    self.processed = processed
    self.playback = playback
    self.recognizer = recognizer
    self.raw = raw
    infos = .allocate(capacity: framesPerChunk)
    infos.initialize(
      repeating: FrameInfo(speechProbability: 0, hasVoice: false, isMuted: false))
  }

  deinit { infos.deallocate() }

  private static func lookAhead(_ buffer: borrowing ChunkBuffer?) -> Int {
    switch buffer {
    case .some(let buffer): buffer.lookAheadSamples
    case .none: 0
    }
  }

  /// The number of samples of the processed output that have been emitted.
  var emittedSamples: Int64 { processed.firstSample }

  /// The number of frames that have not been emitted.
  var waitingFrames: Int64 { Int64(frameCount) }

  /// Adds the given share of a frame to an output that the session has, which is less than 1 for the
  /// last frame. Runs per frame: no allocation, lock, log or await.
  mutating func add(_ frame: borrowing Frame, share: Double, to output: OutputKind) {
    let count = Int((Double(frame.sampleCount) * share).rounded())
    switch output {
    case .processed: processed.append(frame, count: count)
    case .playback: playback?.append(frame, count: count)
    case .recognizer: recognizer?.append(frame, count: count)
    case .raw: raw?.append(frame, count: count)
    }
  }

  /// Counts a frame that was emitted as it is. Runs per frame: no allocation, lock, log or await.
  mutating func skip(samples: Int) { processed.skip(samples) }

  /// Ends the frame that was added, and emits the chunk once it is full.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func endFrame(_ info: FrameInfo, sink: any SessionSink) {
    infos[frameCount] = info
    frameCount += 1
    if frameCount == framesPerChunk { flush(to: sink) }
  }

  /// Emits the frames that wait.
  mutating func flush(to sink: any SessionSink) {
    guard frameCount > 0 else { return }
    sink.emit(
      OutputChunk(
        processed: processed.encoded(), playback: playback?.encoded(),
        recognizer: recognizer?.encoded(), raw: raw?.encoded(),
        frames: UnsafeBufferPointer(rebasing: infos[..<frameCount])))
    processed.clear()
    playback?.clear()
    recognizer?.clear()
    raw?.clear()
    frameCount = 0
  }
}

/// The samples of one output that wait for their chunk.
private struct ChunkBuffer: ~Copyable {
  private let format: AudioFormat
  private let bytes: UnsafeMutableRawBufferPointer
  private var byteCount = 0
  private(set) var firstSample: Int64 = 0
  /// The samples by which the decoded output is later than its indexes.
  let lookAheadSamples: Int
  /// Nil for plain samples.
  private var encoder: PacketEncoder?

  init(_ format: AudioFormat, frames: Int, for sound: PacketEncoder.Sound) {
    if let settings = format.opus {
      let encoder = PacketEncoder(
        rate: format.rate, channelCount: format.channelCount, frames: frames, settings, for: sound)
      lookAheadSamples = encoder.lookAheadSamples
      self.encoder = consume encoder
    } else {
      lookAheadSamples = 0
      encoder = nil
    }
    self.format = format
    bytes = .allocate(
      byteCount: frames * format.rate.samplesPerFrame * format.bytesPerSampleFrame, alignment: 16)
  }

  deinit { bytes.deallocate() }

  mutating func append(_ frame: borrowing Frame, count: Int) {
    let size = count * format.bytesPerSampleFrame
    SampleCoding.encode(
      frame, count: count, format,
      into: UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount..<byteCount + size]))
    byteCount += size
  }

  /// Returns the samples that wait. An Opus packet that is not full ends with silence.
  mutating func encoded() -> OutputChunk.Samples {
    var encoded = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
    if encoder != nil {
      UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount...])
        .initializeMemory(as: UInt8.self, repeating: 0)
      encoded = encoder?.encode(UnsafeRawBufferPointer(bytes)) ?? encoded
    }
    return OutputChunk.Samples(
      bytes: encoded, firstSample: firstSample, sampleCount: byteCount / format.bytesPerSampleFrame)
  }

  mutating func skip(_ count: Int) { firstSample += Int64(count) }

  mutating func clear() {
    firstSample += Int64(byteCount / format.bytesPerSampleFrame)
    byteCount = 0
  }
}

/// The delays of a session's outputs. An Opus encoder adds its look-ahead.
public struct OutputDelays: Sendable, Equatable {
  /// The time from the microphone to the processed output.
  public let processed: Duration
  /// The delay of the playback behind its sample indexes.
  public let playback: Duration
  /// The times from the microphone to these outputs. Nil without the output.
  public let recognizer: Duration?
  public let raw: Duration?

  init(
    _ capture: borrowing CaptureSide, _ setup: SessionSetup, _ chunks: borrowing OutputChunker
  ) {
    func added(_ samples: Int, _ format: AudioFormat?) -> Duration {
      format?.rate.duration(ofSamples: samples) ?? .zero
    }
    let (latencies, lookAheads) = (capture.latencies, chunks.lookAheads)
    processed = latencies.processed + added(lookAheads.processed, setup.processed)
    playback = added(lookAheads.playback, setup.playback)
    recognizer = latencies.recognizer.map { $0 + added(lookAheads.recognizer, setup.recognizer) }
    raw = latencies.raw.map { $0 + added(lookAheads.raw, setup.raw) }
  }
}
