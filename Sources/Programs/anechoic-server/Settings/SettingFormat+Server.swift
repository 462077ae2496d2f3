internal import BundledEngines
internal import CommandLineSupport
internal import GRPCTransport
public import Settings
internal import VoiceEngines
public import VoiceServer

extension SettingFormat<Duration> {
  /// A time such as `500ms`, `10s`, `2m`, `24h` or `7d`.
  public static func time(_ range: LimitRange<Duration>) -> Self {
    SettingFormat("time", allowed: range.words) { text in
      DurationArgument(argument: text).map(\.duration).flatMap { range.contains($0) ? $0 : nil }
    } show: {
      DurationArgument($0).description
    }
  }
}

extension SettingFormat<Int> {
  public static func count(_ range: LimitRange<Int>) -> Self {
    SettingFormat("number", allowed: range.words) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    } show: {
      "\($0)"
    }
  }

  /// A number of bytes such as `64KiB`, `512MiB` or `1GiB`.
  public static func bytes(_ range: LimitRange<Int>) -> Self {
    SettingFormat("bytes", allowed: range.words) { text in
      ByteCountArgument(argument: text).map(\.bytes).flatMap { range.contains($0) ? $0 : nil }
    } show: {
      ByteCountArgument($0).description
    }
  }
}

extension SettingFormat<Double> {
  public static func share(_ range: LimitRange<Double>) -> Self {
    SettingFormat("share", allowed: range.words) { text in
      Double(text).flatMap { range.contains($0) ? $0 : nil }
    } show: {
      $0 == 0 ? "0" : "\($0)"
    }
  }
}

extension SettingFormat<Int?> {
  /// A number, or `auto` for one that the program chooses.
  public static func automatic(_ range: ClosedRange<Int>, for rule: String) -> Self {
    SettingFormat(
      "number", allowed: "\(range.lowerBound) to \(range.upperBound), or auto for \(rule)"
    ) { text in
      if text == "auto" { return .some(nil) }
      return Int(text).flatMap { range.contains($0) ? .some($0) : nil }
    } show: {
      $0.map { "\($0)" } ?? "auto"
    }
  }
}

extension SettingFormat<String> {
  public static var addressOrOff: Self {
    .text("address", allowed: "HOST:PORT, [IPv6]:PORT, unix:PATH or off") {
      $0 == ServerSettings.off ? nil : ServerAddress.listeningProblem($0)
    }
  }

  public static var hostOrOff: Self {
    .text("address", allowed: "HOST:PORT, [IPv6]:PORT or off") { address in
      if address == ServerSettings.off { return nil }
      if address.hasPrefix("unix:") { return "a unix socket is not possible; use HOST:PORT or off" }
      return ServerAddress.listeningProblem(address)
    }
  }

  public static var engine: Self {
    .text("name", allowed: EngineCatalog.bundled.names.joined(separator: " or ")) { name in
      do throws(UnknownEngineError) {
        _ = try EngineCatalog.bundled.preferring(name)
        return nil
      } catch {
        return error.description
      }
    }
  }
}

extension SettingFormat<String?> {
  /// An address that begins with one of the schemes, without spaces and without a user's name and
  /// password, which the log would show.
  public static func webAddress(schemes: [String], allowed: String) -> Self {
    SettingFormat("address", allowed: allowed) { text in
      if text.isEmpty { return .some(nil) }
      guard let scheme = schemes.first(where: { text.hasPrefix("\($0)://") }) else { return nil }
      let host = text.dropFirst("\(scheme)://".count).prefix { !"/?#".contains($0) }
      let isAddress =
        hasHostAndPort(host) && text.utf8.count <= 2000
        && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      return isAddress ? .some(text) : nil
    } show: {
      $0 ?? ""
    }
  }

  /// Returns whether a text is HOST or HOST:PORT, with IPv6 in brackets and without a user.
  private static func hasHostAndPort(_ text: Substring) -> Bool {
    let end = text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : nil
    let host = text[..<(end ?? text.firstIndex(of: ":") ?? text.endIndex)]
    let port = text[host.endIndex...]
    guard !host.isEmpty, host != "[]", !host.contains("@"), host.hasPrefix("[") == (end != nil)
    else {
      return false
    }
    return port.isEmpty || port.first == ":" && UInt16(port.dropFirst()).map { $0 > 0 } == true
  }
}

extension SettingFormat<[String]> {
  public static var addresses: Self {
    .list("address", allowed: "HOST:PORT, [IPv6]:PORT or unix:PATH; repeatable") {
      ServerAddress.listeningProblem($0)
    }
  }

  /// Origins as browsers send them, such as `https://app.example`.
  public static var origins: Self {
    .list("origin", allowed: "https://HOST, or http://HOST:PORT; repeatable") { text in
      let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
      let isOrigin =
        parts.count == 2 && ["http", "https"].contains(parts[0]) && !parts[1].isEmpty
        && parts[1].allSatisfy {
          $0.isASCII && ($0.isLetter && $0.isLowercase || $0.isNumber || ".-:[]".contains($0))
        }
      return isOrigin
        ? nil : "\"\(text)\" is not an origin in lower case; use https://HOST, or http://HOST:PORT"
    }
  }
}
