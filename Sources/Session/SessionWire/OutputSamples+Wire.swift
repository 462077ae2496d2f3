internal import AnechoicAPI
internal import VoiceSessions

/// Samples of an output as an `AudioChunk`.
extension OutputChunk.Samples {
  /// The size of the serialized `AudioChunk` in bytes.
  var wireSize: Int {
    WireWriter.size(ofBytes: bytes.count)
      + 1 + WireWriter.size(ofVarint: UInt64(bitPattern: firstSample))
  }

  /// Writes an `AudioChunk` as a field of a message. Runs per frame: no allocation, lock, log or await.
  func write(as field: Int, to writer: inout WireWriter) {
    writer.writeLength(field, wireSize)
    writer.writeLength(1, bytes.count)  // AudioChunk.samples
    writer.writeBytes(bytes)
    writer.writeKey(2, .varint)  // AudioChunk.first_sample
    writer.writeVarint(UInt64(bitPattern: firstSample))
  }
}
