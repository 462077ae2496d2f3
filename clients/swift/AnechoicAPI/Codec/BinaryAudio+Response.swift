extension BinaryAudio {
  /// Returns the message with the audio of a serialized `ProcessResponse`. Returns nil for a response
  /// without audio, and for one of an unknown form.
  package static func message(ofResponse response: UnsafeRawBufferPointer) -> [UInt8]? {
    var reader = WireReader(response)
    guard reader.readKey() == WireKey(1, .lengthDelimited), let audio = reader.readBytes(),
      reader.isAtEnd
    else { return nil }
    var message: [UInt8] = []
    message.reserveCapacity(response.count + 64)
    var frames: [UInt8] = []
    var fields = WireReader(audio)
    while !fields.isAtEnd {
      guard let key = fields.readKey(), key.wireType == .lengthDelimited,
        let bytes = fields.readBytes()
      else { return nil }
      switch key.field {
      case 1: guard appendChunk(bytes, .processed, to: &message) else { return nil }
      case 2: guard appendChunk(bytes, .playback, to: &message) else { return nil }
      case 3: guard appendFrame(bytes, to: &frames) else { return nil }
      case 4: guard appendChunk(bytes, .recognizer, to: &message) else { return nil }
      case 5: guard appendChunk(bytes, .raw, to: &message) else { return nil }
      default: return nil
      }
    }
    if !frames.isEmpty { frames.withUnsafeBytes { append($0, .frames, to: &message) } }
    return message
  }

  private static func appendChunk(
    _ chunk: UnsafeRawBufferPointer, _ stream: Stream, to message: inout [UInt8]
  ) -> Bool {
    var reader = WireReader(chunk)
    var samples = UnsafeRawBufferPointer(start: nil, count: 0)
    var gap: UInt8 = 0
    var values: [Int: UInt64] = [:]
    while !reader.isAtEnd {
      guard let key = reader.readKey() else { return false }
      switch (key.field, key.wireType) {
      case (1, .lengthDelimited):
        guard let bytes = reader.readBytes() else { return false }
        samples = bytes
      case (2, .varint), (3, .varint), (4, .varint):
        guard let value = reader.readVarint() else { return false }
        if key.field == 4 {
          gap = UInt8(truncatingIfNeeded: value)
        } else {
          values[key.field] = value
        }
      default: return false
      }
    }
    append(samples, stream, gap: gap, first: values[2], time: values[3], to: &message)
    return true
  }

  private static func append(
    _ content: UnsafeRawBufferPointer, _ stream: Stream, gap: UInt8 = 0, first: UInt64? = nil,
    time: UInt64? = nil, to message: inout [UInt8]
  ) {
    let padding = aligned(message.count) - message.count
    message.append(contentsOf: repeatElement(0, count: padding))
    var flags: Flags = []
    if first != nil { flags.insert(.firstSample) }
    if time != nil { flags.insert(.deviceTime) }
    message += [stream.rawValue, flags.rawValue, gap, 0]
    withUnsafeBytes(of: UInt32(content.count).littleEndian) { message.append(contentsOf: $0) }
    for value in [first, time] {
      guard let value else { continue }
      withUnsafeBytes(of: value.littleEndian) { message.append(contentsOf: $0) }
    }
    message.append(contentsOf: content)
  }

  /// Appends a `FrameInfo`: the probability of speech as a float, whether the frame contains voice, and
  /// whether it is muted, each as a byte, and two bytes of 0.
  private static func appendFrame(
    _ frame: UnsafeRawBufferPointer, to frames: inout [UInt8]
  ) -> Bool {
    var reader = WireReader(frame)
    var (probability, isVoice, isMuted) = (UInt32(0), UInt8(0), UInt8(0))
    while !reader.isAtEnd {
      guard let key = reader.readKey() else { return false }
      switch (key.field, key.wireType) {
      case (1, .fixed32):
        guard let bits = reader.readFixed32() else { return false }
        probability = bits
      case (2, .varint):
        guard let value = reader.readVarint() else { return false }
        isVoice = value == 0 ? 0 : 1
      case (3, .varint):
        guard let value = reader.readVarint() else { return false }
        isMuted = value == 0 ? 0 : 1
      default: return false
      }
    }
    withUnsafeBytes(of: probability.littleEndian) { frames.append(contentsOf: $0) }
    frames += [isVoice, isMuted, 0, 0]
    return true
  }
}
