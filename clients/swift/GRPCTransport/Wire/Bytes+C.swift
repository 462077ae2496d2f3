internal import CGRPC

extension UnsafeRawBufferPointer {
  init(_ bytes: cgrpc_bytes) {
    self.init(start: bytes.start, count: bytes.count)
  }

  var c: cgrpc_bytes { cgrpc_bytes(start: baseAddress, count: count) }
}

extension String {
  init(_ bytes: cgrpc_bytes) {
    self.init(decoding: UnsafeRawBufferPointer(bytes), as: UTF8.self)
  }
}

extension Metadata {
  mutating func append(_ entry: cgrpc_metadatum) {
    append(String(entry.key), bytes: Array(UnsafeRawBufferPointer(entry.value)))
  }

  init(_ metadata: cgrpc_metadata) {
    self.init()
    for entry in UnsafeBufferPointer(start: metadata.start, count: metadata.count) {
      append(entry)
    }
  }

  /// Lends the entries to C while `body` runs.
  func withC<Result>(_ body: (cgrpc_metadata) -> Result) -> Result {
    var storage: [UInt8] = []
    for entry in entries {
      storage.append(contentsOf: entry.key.utf8)
      storage.append(contentsOf: entry.value)
    }
    return storage.withUnsafeBytes { storage in
      var position = 0
      func lend(_ count: Int) -> cgrpc_bytes {
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: storage[position..<position + count]).c
      }
      let lent = entries.map { entry in
        let key = lend(entry.key.utf8.count)
        return cgrpc_metadatum(key: key, value: lend(entry.value.count))
      }
      return lent.withUnsafeBufferPointer {
        body(cgrpc_metadata(start: $0.baseAddress, count: $0.count))
      }
    }
  }
}

extension Status {
  init(_ status: cgrpc_status) {
    self.init(
      StatusCode(rawValue: status.code) ?? .unknown, String(status.message),
      details: Array(UnsafeRawBufferPointer(status.details)))
  }

  /// Lends the status to C while `body` runs.
  func withC<Result>(_ body: (cgrpc_status) -> Result) -> Result {
    var message = message
    return message.withUTF8 { message in
      details.withUnsafeBytes { details in
        body(
          cgrpc_status(
            code: code.rawValue, message: UnsafeRawBufferPointer(message).c, details: details.c))
      }
    }
  }
}
