internal import Foundation

/// The entry points for libFuzzer. An environment variable selects the part to fuzz.
enum Fuzz {
  static let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["ANECHOIC_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      let known = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
      print("ANECHOIC_FUZZ_TARGET: \(name) is not a target; use \(known)")
      exit(64)
    }
    return target
  }()
}

/// Runs once before the first input. If ANECHOIC_FUZZ_SEEDS names a folder, writes valid inputs to
/// it and ends the process.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_ count: OpaquePointer, _ arguments: OpaquePointer) -> CInt {
  guard let folder = ProcessInfo.processInfo.environment["ANECHOIC_FUZZ_SEEDS"] else { return 0 }
  for (index, seed) in Fuzz.target.seeds().enumerated() {
    let file = URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)")
    do {
      try Data(seed).write(to: file)
    } catch {
      print("\(file.path): \(error)")
      exit(2)
    }
  }
  exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  Fuzz.target.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
