internal import AudioCore

/// Collects frames of the outputs and emits them in chunks.
struct OutputChunker: ~Copyable {
  private let framesPerChunk: Int
  private var processed: ChunkBuffer
  private var playback: ChunkBuffer?
  private let infos: UnsafeMutableBufferPointer<FrameInfo>
  private var frameCount = 0

  init(processed: AudioFormat, playback: AudioFormat?, framesPerChunk: Int) {
    self.framesPerChunk = framesPerChunk
    self.processed = ChunkBuffer(processed, frames: framesPerChunk)
    self.playback = playback.map { ChunkBuffer($0, frames: framesPerChunk) }
    infos = .allocate(capacity: framesPerChunk)
    infos.initialize(
      repeating: FrameInfo(speechProbability: 0, hasVoice: false, isMuted: false))
  }

  deinit { infos.deallocate() }

  /// The number of samples of the processed output that have been emitted.
  var emittedSamples: Int64 { processed.firstSample }

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
        processed: processed.samples, playback: playback?.samples,
        frames: UnsafeBufferPointer(rebasing: infos[..<frameCount])))
    processed.clear()
    playback?.clear()
    frameCount = 0
  }
}

/// The encoded samples of one output that wait for their chunk.
private struct ChunkBuffer: ~Copyable {
  private let format: AudioFormat
  private let bytes: UnsafeMutableRawBufferPointer
  private var byteCount = 0
  private(set) var firstSample: Int64 = 0

  init(_ format: AudioFormat, frames: Int) {
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

  var samples: OutputChunk.Samples {
    OutputChunk.Samples(
      bytes: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]), firstSample: firstSample)
  }

  mutating func clear() {
    firstSample += Int64(byteCount / format.bytesPerSampleFrame)
    byteCount = 0
  }
}
