internal import CMysofa

/// Why a SOFA file cannot be used.
public struct SOFAFault: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A file of head-related impulse responses, as AES69 (SOFA) describes it, read by libmysofa.
///
/// A crafted file can harm the process that reads it: read files of others in a process of their own.
struct SOFAFile: ~Copyable {
  private let content: UnsafeMutablePointer<MYSOFA_HRTF>

  /// Reads a file.
  init(path: String) throws(SOFAFault) {
    var fault: Int32 = 0
    guard let content = mysofa_load(path, &fault) else {
      throw SOFAFault("\(path): is not a readable SOFA file (error \(fault) of libmysofa)")
    }
    self.content = content
  }

  deinit { mysofa_free(content) }

  /// Returns the responses at a sampling rate.
  consuming func responses(hertz: Int) throws(SOFAFault) -> MeasuredResponses {
    guard mysofa_check(content) == MYSOFA_OK, content.pointee.R == 2, content.pointee.C == 3 else {
      throw SOFAFault("holds no responses of two ears in free field (SimpleFreeFieldHRIR)")
    }
    guard mysofa_resample(content, Float(hertz)) == MYSOFA_OK else {
      throw SOFAFault("cannot be converted to \(hertz) Hz")
    }
    mysofa_tocartesian(content)
    let file = content.pointee
    let (count, length) = (Int(file.M), Int(file.N))
    guard count > 0, length > 0, Int(file.DataIR.elements) == count * 2 * length,
      Int(file.SourcePosition.elements) == count * 3, let samples = file.DataIR.values,
      let places = file.SourcePosition.values
    else { throw SOFAFault("has the wrong size") }
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
  private static func delays(_ file: MYSOFA_HRTF, hertz: Int) throws(SOFAFault) -> [Float] {
    let count = Int(file.M)
    guard let values = file.DataDelay.values else {
      return [Float](repeating: 0, count: 2 * count)
    }
    switch Int(file.DataDelay.elements) {
    case 2: return (0..<2 * count).map { values[$0 % 2] }
    case 2 * count: return (0..<2 * count).map { values[$0] }
    default: throw SOFAFault("has delays of the wrong size")
    }
  }
}

/// Impulse responses of two ears, measured from many directions.
struct MeasuredResponses {
  /// Vectors of any length, in the axes of `Placement`.
  let directions: [SIMD3<Float>]
  /// The number of samples of a response.
  let length: Int
  /// For each direction, the response of the left ear and of the right ear.
  let samples: [Float]
  /// For each direction, the delay of the left and of the right response in samples.
  let delays: [Float]
}
