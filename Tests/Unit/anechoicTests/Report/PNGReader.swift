import Foundation
import Testing

/// A picture as zlib of Debian's Python reads it, which shares no code with the writer.
struct PNGReader {
  let width: Int
  let height: Int
  let palette: [UInt8]
  let indices: [UInt8]

  /// Throws if a sum, a length or a filter of the file is wrong.
  init(_ bytes: [UInt8]) throws {
    let script = """
      import struct, sys, zlib
      data = sys.stdin.buffer.read()
      assert data[:8] == b"\\x89PNG\\r\\n\\x1a\\n"
      place, chunks = 8, []
      while place < len(data):
          length, kind = struct.unpack(">I4s", data[place:place + 8])
          body = data[place + 8:place + 8 + length]
          (sum,) = struct.unpack(">I", data[place + 8 + length:place + 12 + length])
          assert sum == zlib.crc32(kind + body)
          chunks.append((kind, body))
          place += 12 + length
      assert place == len(data) and [k for k, _ in chunks] == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
      width, height, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
      assert rest == [8, 3, 0, 0, 0]
      rows = zlib.decompress(chunks[2][1])
      assert len(rows) == (width + 1) * height
      lines = [rows[y * (width + 1):(y + 1) * (width + 1)] for y in range(height)]
      assert all(line[0] == 0 for line in lines)
      out = struct.pack("<II", width, height) + chunks[1][1] + b"".join(line[1:] for line in lines)
      sys.stdout.buffer.write(out)
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script]
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-\(UUID().uuidString).png")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let read = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    func number(_ place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(read[place + $1]) << (8 * $1) }
    }
    (width, height) = (number(0), number(4))
    palette = Array(read[8..<8 + 768])
    indices = Array(read[(8 + 768)...])
  }
}
