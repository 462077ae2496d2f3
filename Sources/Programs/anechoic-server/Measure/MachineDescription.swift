internal import Foundation

/// The processor of a machine.
struct MachineDescription: Encodable {
  let processor: String
  /// The microarchitecture level of the x86-64 psABI, or the architecture.
  let level: String
  let cores: Int

  static var this: MachineDescription {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    func value(_ key: String) -> String? {
      text.split(separator: "\n").first { $0.hasPrefix(key) }?.split(separator: ":").last.map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    let flags = Set((value("flags") ?? "").split(separator: " ").map(String.init))
    return MachineDescription(
      processor: value("model name") ?? "unknown processor", level: level(flags),
      cores: ProcessInfo.processInfo.activeProcessorCount)
  }

  /// Returns the level as the psABI for x86-64 defines it.
  private static func level(_ flags: Set<String>) -> String {
    #if arch(x86_64)
      let levels = [
        ("x86-64-v4", ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
        ("x86-64-v3", ["avx2", "bmi1", "bmi2", "fma", "movbe", "f16c"]),
        ("x86-64-v2", ["sse4_2", "ssse3", "popcnt", "cx16"]),
      ]
      return levels.first { flags.isSuperset(of: $0.1) }?.0 ?? "x86-64-v1"
    #else
      return "aarch64"
    #endif
  }
}
