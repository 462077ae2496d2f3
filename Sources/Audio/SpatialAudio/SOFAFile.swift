internal import CMysofa
#if canImport(Glibc)
  internal import Glibc
#endif

/// Why a SOFA file cannot be used.
public struct SOFAError: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// A file of head-related impulse responses, as AES69 (SOFA) describes it, read by libmysofa.
///
/// A crafted file can harm the process that reads it: read files of others in a process of their own.
struct SOFAFile: ~Copyable {
  private let content: UnsafeMutablePointer<MYSOFA_HRTF>

  /// Reads a file.
  init(path: String) throws(SOFAError) {
    var fault: Int32 = 0
    guard let content = mysofa_load(path, &fault) else {
      throw SOFAError("\(path): is not a SOFA file of impulse responses")
    }
    self.content = content
  }

  /// Reads the bytes of a file.
  init(_ bytes: UnsafeRawBufferPointer) throws(SOFAError) {
    var fault: Int32 = 0
    guard let start = bytes.baseAddress,
      let content = mysofa_load_data(start.assumingMemoryBound(to: CChar.self), bytes.count, &fault)
    else { throw SOFAError("is not a SOFA file of impulse responses") }
    self.content = content
  }

  /// Creates a file of responses that have been checked.
  init(_ responses: MeasuredResponses, hertz: Int) throws(SOFAError) {
    guard let memory = calloc(1, MemoryLayout<MYSOFA_HRTF>.stride) else {
      throw SOFAError("is too large for the memory")
    }
    content = memory.bindMemory(to: MYSOFA_HRTF.self, capacity: 1)
    (content.pointee.I, content.pointee.C, content.pointee.R) = (1, 3, 2)
    content.pointee.M = UInt32(responses.directions.count)
    content.pointee.N = UInt32(responses.length)
    content.pointee.DataSamplingRate = Self.array([Float(hertz)])
    content.pointee.DataIR = Self.array(responses.samples)
    content.pointee.DataDelay = Self.array(responses.delays)
    content.pointee.SourcePosition = Self.array(
      responses.directions.flatMap { [$0.x, $0.y, $0.z] })
  }

  /// Returns a copy that `mysofa_free` releases. The copy is empty if there is no memory.
  private static func array(_ values: [Float]) -> MYSOFA_ARRAY {
    var array = MYSOFA_ARRAY()
    guard let memory = malloc(values.count * MemoryLayout<Float>.stride) else { return array }
    array.values = memory.bindMemory(to: Float.self, capacity: values.count)
    array.values.initialize(from: values, count: values.count)
    array.elements = UInt32(values.count)
    return array
  }

  deinit { mysofa_free(content) }

  /// Checks the file, and returns the responses at a sampling rate.
  consuming func responses(hertz: Int) throws(SOFAError) -> MeasuredResponses {
    guard mysofa_check(content) == MYSOFA_OK, content.pointee.R == 2, content.pointee.C == 3 else {
      throw SOFAError("holds no responses of two ears in free field (SimpleFreeFieldHRIR)")
    }
    return try converted(hertz: hertz)
  }

  /// Returns the responses of a checked file at a sampling rate.
  consuming func converted(hertz: Int) throws(SOFAError) -> MeasuredResponses {
    guard mysofa_resample(content, Float(hertz)) == MYSOFA_OK else {
      throw SOFAError("cannot be converted to \(hertz) Hz")
    }
    mysofa_tocartesian(content)
    let file = content.pointee
    let (count, length) = (Int(file.M), Int(file.N))
    guard count > 0, length > 0, Int(file.DataIR.elements) == count * 2 * length,
      Int(file.SourcePosition.elements) == count * 3, let samples = file.DataIR.values,
      let places = file.SourcePosition.values
    else { throw SOFAError("has the wrong size") }
    let delays = try Self.delays(file, hertz: hertz)
    return MeasuredResponses(
      directions: (0..<count).map {
        SIMD3(places[3 * $0], places[3 * $0 + 1], places[3 * $0 + 2])
      },
      length: length,
      samples: Array(UnsafeBufferPointer(start: samples, count: count * 2 * length)),
      delays: delays)
  }

  /// The delays before the responses of both ears, in samples, of each direction.
  private static func delays(_ file: MYSOFA_HRTF, hertz: Int) throws(SOFAError) -> [Float] {
    let count = Int(file.M)
    guard let values = file.DataDelay.values else {
      return [Float](repeating: 0, count: 2 * count)
    }
    switch Int(file.DataDelay.elements) {
    case 2: return (0..<2 * count).map { values[$0 % 2] }
    case 2 * count: return (0..<2 * count).map { values[$0] }
    default: throw SOFAError("has delays of the wrong size")
    }
  }
}
