/// A `ProcessRequest` with audio, read in place, without a copy or an allocation.
///
/// Supports only the form that the frame path needs: each input at most once, at most `mostFarEnds`
/// named far ends, and known fields in ascending order. SwiftProtobuf decodes all other messages.
public struct AudioRequest {
  public var microphone: Chunk?
  public var reference: Chunk?
  public var farEnd: Chunk?
  public var otherAudio: Chunk?
  /// Audio of named far ends. The first `farEndCount` are valid.
  public private(set) var farEnds = InlineArray<16, FarEnd>(repeating: FarEnd())
  public private(set) var farEndCount = 0

  public static let mostFarEnds = 16

  /// A `FarEndAudio` whose bytes are borrowed.
  public struct FarEnd {
    /// The UTF-8 bytes of the id.
    public fileprivate(set) var id = UnsafeRawBufferPointer(start: nil, count: 0)
    public fileprivate(set) var chunk = Chunk()

    fileprivate init() {}
  }

  /// An `AudioChunk` whose samples are borrowed.
  public struct Chunk {
    public var samples = UnsafeRawBufferPointer(start: nil, count: 0)
    public var firstSample: Int64?
    public var deviceTime: Duration?
    public var gapBefore = Anechoic_V1_GapReason.unspecified

    fileprivate init() {}

    /// Creates a chunk from one that SwiftProtobuf decoded, with borrowed samples.
    public init(_ chunk: Anechoic_V1_AudioChunk, samples: UnsafeRawBufferPointer) {
      self.samples = samples
      if chunk.hasFirstSample { firstSample = chunk.firstSample }
      if chunk.hasDeviceTimeNs { deviceTime = .nanoseconds(chunk.deviceTimeNs) }
      gapBefore = chunk.gapBefore
    }
  }

  /// Reads a message. Returns nil for a message of another form. Runs per frame: no allocation,
  /// lock, log or await.
  public init?(_ message: UnsafeRawBufferPointer) {
    var reader = WireReader(message)
    guard reader.readKey() == WireKey(1, .lengthDelimited), let audio = reader.readBytes(),
      reader.isAtEnd
    else { return nil }
    var fields = WireReader(audio)
    while !fields.isAtEnd {
      guard let key = fields.readKey(), key.wireType == .lengthDelimited,
        let bytes = fields.readBytes()
      else { return nil }
      if key.field == 5 {
        guard farEndCount < Self.mostFarEnds, let farEnd = FarEnd(bytes) else { return nil }
        farEnds[farEndCount] = farEnd
        farEndCount += 1
        continue
      }
      guard let chunk = Chunk(bytes) else { return nil }
      switch key.field {
      case 1 where microphone == nil: microphone = chunk
      case 2 where reference == nil: reference = chunk
      case 3 where farEnd == nil: farEnd = chunk
      case 4 where otherAudio == nil: otherAudio = chunk
      default: return nil
      }
    }
  }

  /// Creates a request without any input.
  public init() {}

  /// Adds audio of a named far end to less than `mostFarEnds` others. Both are borrowed.
  public mutating func addFarEnd(_ chunk: Chunk, id: UnsafeRawBufferPointer) {
    farEnds[farEndCount].id = id
    farEnds[farEndCount].chunk = chunk
    farEndCount += 1
  }
}

extension AudioRequest.FarEnd {
  fileprivate init?(_ message: UnsafeRawBufferPointer) {
    self.init()
    var reader = WireReader(message)
    guard reader.readKey() == WireKey(1, .lengthDelimited), let id = reader.readBytes(),
      reader.readKey() == WireKey(2, .lengthDelimited), let bytes = reader.readBytes(),
      let chunk = AudioRequest.Chunk(bytes), reader.isAtEnd
    else { return nil }
    self.id = id
    self.chunk = chunk
  }
}

extension AudioRequest.Chunk {
  fileprivate init?(_ message: UnsafeRawBufferPointer) {
    self.init()
    var reader = WireReader(message)
    var previous = 0
    while !reader.isAtEnd {
      // Ascending order, so that no field occurs twice.
      guard let key = reader.readKey(), key.field > previous else { return nil }
      previous = key.field
      switch (key.field, key.wireType) {
      case (1, .lengthDelimited):
        guard let bytes = reader.readBytes() else { return nil }
        samples = bytes
      case (2, .varint):
        guard let value = reader.readVarint() else { return nil }
        firstSample = Int64(bitPattern: value)
      case (3, .varint):
        guard let value = reader.readVarint() else { return nil }
        deviceTime = .nanoseconds(Int64(bitPattern: value))
      case (4, .varint):
        guard let value = reader.readVarint() else { return nil }
        gapBefore = Anechoic_V1_GapReason(rawValue: Int(truncatingIfNeeded: value)) ?? .unspecified
      default: return nil
      }
    }
  }
}
