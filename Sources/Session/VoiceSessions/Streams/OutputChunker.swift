internal import AudioCodecs
internal import AudioCore

/// Collects frames of the outputs and emits them in chunks.
struct OutputChunker: ~Copyable {
  /// The samples by which the decoded playback is later than its indexes.
  let playbackLookAhead: Int
  private let framesPerChunk: Int
  private var processed: ChunkBuffer
  private var playback: ChunkBuffer?
  private let infos: UnsafeMutableBufferPointer<FrameInfo>
  private var frameCount = 0

  init(processed: AudioFormat, playback: AudioFormat?, framesPerChunk: Int) {
    self.framesPerChunk = framesPerChunk
    self.processed = ChunkBuffer(processed, frames: framesPerChunk, for: .speech)
    if let format = playback {
      let playback = ChunkBuffer(format, frames: framesPerChunk, for: .any)
      playbackLookAhead = playback.lookAheadSamples
      self.playback = consume playback
    } else {
      playbackLookAhead = 0
      self.playback = nil
    }
    infos = .allocate(capacity: framesPerChunk)
    infos.initialize(
      repeating: FrameInfo(speechProbability: 0, hasVoice: false, isMuted: false))
  }

  deinit { infos.deallocate() }

  /// The number of samples of the processed output that have been emitted.
  var emittedSamples: Int64 { processed.firstSample }

  /// The samples by which the decoded processed output is later than its indexes.
  var processedLookAhead: Int { processed.lookAheadSamples }

  /// The number of frames that have not been emitted.
  var waitingFrames: Int64 { Int64(frameCount) }

  /// Adds the first `count` samples of the processed output.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func addProcessed(_ frame: borrowing Frame, count: Int) {
    processed.append(frame, count: count)
  }

  /// Adds the first `count` samples of the playback.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func addPlayback(_ frame: borrowing Frame, count: Int) {
    playback?.append(frame, count: count)
  }

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
        frames: UnsafeBufferPointer(rebasing: infos[..<frameCount])))
    processed.clear()
    playback?.clear()
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

  mutating func clear() {
    firstSample += Int64(byteCount / format.bytesPerSampleFrame)
    byteCount = 0
  }
}
