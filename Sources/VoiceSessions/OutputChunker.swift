internal import AudioCore

/// Encodes frames and gathers them to chunks.
final class OutputChunker {
  private let format: AudioFormat
  private let framesPerChunk: Int
  private let bytes: UnsafeMutableRawBufferPointer
  private let infos: UnsafeMutableBufferPointer<FrameInfo>
  private var byteCount = 0
  private var frameCount = 0
  private var firstSample: Int64 = 0

  init(format: AudioFormat, framesPerChunk: Int) {
    self.format = format
    self.framesPerChunk = framesPerChunk
    bytes = .allocate(
      byteCount: framesPerChunk * format.rate.samplesPerFrame * format.bytesPerSampleFrame,
      alignment: 16)
    infos = .allocate(capacity: framesPerChunk)
    infos.initialize(repeating: FrameInfo(speechProbability: 0, hasVoice: false))
  }

  deinit {
    bytes.deallocate()
    infos.deallocate()
  }

  /// Adds the first `count` samples of a frame, and emits the chunk when it is full.
  /// Runs per frame: no allocation, lock, log or await.
  func add(_ frame: borrowing Frame, count: Int, _ info: FrameInfo, to sink: any SessionSink) {
    let size = count * format.bytesPerSampleFrame
    SampleCoding.encode(
      frame, count: count, format,
      into: UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount..<byteCount + size]))
    infos[frameCount] = info
    byteCount += size
    frameCount += 1
    if frameCount == framesPerChunk { flush(to: sink) }
  }

  /// Emits what has been gathered.
  func flush(to sink: any SessionSink) {
    guard byteCount > 0 else { return }
    sink.emit(
      ProcessedChunk(
        samples: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]), firstSample: firstSample,
        frames: UnsafeBufferPointer(rebasing: infos[..<frameCount])))
    firstSample += Int64(byteCount / format.bytesPerSampleFrame)
    byteCount = 0
    frameCount = 0
  }
}
