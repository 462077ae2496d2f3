internal import AnechoicAPI
internal import EdgeRig
internal import Foundation
internal import SoundRig
internal import SwiftProtobuf

extension EdgeBench {
  /// Kills and starts the server again and again. Tests/Unit/VoiceEdgeTests covers devices that are lost
  /// a thousand times, with scripted devices.
  func soak(reconnects: Int = 100) async throws {
    print("\n### \(reconnects) restarts of the server\n")
    print("| after | threads | memory, MB |")
    print("|---|---|---|")
    try await withCall { edge, _, _ in
      for count in 0...reconnects {
        if count % (reconnects / 5) == 0 {
          print(
            "| \(count) | \(threads(edge.agentIdentifier)) "
              + "| \(Self.rounded(residentMegabytes(edge.agentIdentifier))) |")
        }
        edge.killServer()
        _ = await edge.wait { !$0.connected }
        edge.startServer()
        guard await edge.wait(until: { $0.connected }) != nil else {
          print("never connected again:\n\(edge.agentLog.suffix(2000))")
          return
        }
      }
    }
  }

  /// Returns the resident memory of a process in MB.
  private func residentMegabytes(_ process: Int32) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return (Double(line.split(separator: " ").dropFirst().first ?? "") ?? 0) / 1024
  }

  private func threads(_ process: Int32) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count) ?? 0
  }
}
