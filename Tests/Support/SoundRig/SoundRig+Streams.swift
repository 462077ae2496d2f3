internal import Foundation

/// The streams of programs on the rig's servers.
extension SoundRig {
  /// Returns the sources from which a process records now.
  public func sources(recordedBy process: Int32) throws -> [String] {
    try servers.flatMap { server in
      let names = Dictionary(
        uniqueKeysWithValues: try server.control("list", "short", "sources").split(separator: "\n")
          .map { $0.split(separator: "\t").prefix(2).map(String.init) }.map { ($0[0], $0[1]) })
      return try server.control("list", "source-outputs").components(
        separatedBy: "Source Output #"
      ).filter { $0.contains("application.process.id = \"\(process)\"") }.map { output in
        let line = output.split(separator: "\n").first { $0.contains("Source: ") } ?? ""
        return names[String(line.split(separator: " ").last ?? "")] ?? "unknown"
      }
    }
  }

  /// A stream that a program plays into a sink.
  public struct PlayedStream: Sendable, Equatable {
    public let index: Int
    public let process: Int32
    public let role: String
    /// The volume of each channel. 65,536 is 100 %.
    public let volume: [Int]
  }

  /// Returns the streams that programs play on the server of a sink.
  public func streams(of sink: String) throws -> [PlayedStream] {
    try server(of: sink).control("list", "sink-inputs").components(separatedBy: "Sink Input #")
      .dropFirst().map { text in
        func value(_ key: String) -> String {
          let line = text.components(separatedBy: "\n").first { $0.contains(key) } ?? ""
          return line.components(separatedBy: key).last?.trimmingCharacters(
            in: CharacterSet(charactersIn: " \"")) ?? ""
        }
        return PlayedStream(
          index: Int(text.prefix { $0.isNumber }) ?? -1,
          process: Int32(value("application.process.id =")) ?? -1, role: value("media.role ="),
          volume: value("Volume:").components(separatedBy: ",").compactMap { channel in
            channel.components(separatedBy: "/").first?.components(separatedBy: ":").last
              .flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
          })
      }
  }

  public func setVolume(stream: Int, of sink: String, _ volume: Int) throws {
    try server(of: sink).control("set-sink-input-volume", "\(stream)", "\(volume)")
  }
}
