internal import CommandLineSupport
public import Settings

/// The settings of the traces that the server sends to a collector.
public struct TracingSettings: Sendable, Equatable {
  /// The address of the collector, with its path. Nil for no traces.
  public var endpoint: String?
  public var authorities: String?
  /// The file with the headers of each request, among them the credentials.
  public var headersFile: String?
  /// The share of the traces that begin at this server, from 0 to 1.
  public var sampleRatio = 0.1
  public var serviceName = "anechoic-server"
}

extension ServerSettings {
  public static let tracingSection: [Setting<ServerSettings>] = [
    Setting(
      "tracing.endpoint", flag: "tracing-endpoint", \.tracing.endpoint,
      .webAddress(
        schemes: ["https", "http"], allowed: "http://HOST:4318/v1/traces, or with https"),
      .restart,
      """
      The address to which the server sends spans of calls and sessions, as OTLP/HTTP with JSON
      """),
    Setting(
      "tracing.ca_file", flag: "tracing-ca-file", \.tracing.authorities, .file, .restart,
      """
      The authorities in PEM that sign the certificate of the collector. Without it, those that the \
      system trusts
      """),
    Setting(
      "tracing.headers_file", flag: "tracing-headers-file", \.tracing.headersFile, .file, .restart,
      """
      A file with headers for the collector, one in a line, such as "Authorization: Bearer TOKEN". Needs \
      https, or a collector on this machine
      """),
    Setting(
      "tracing.sample_ratio", flag: "tracing-sample-ratio", \.tracing.sampleRatio, .number(0...1),
      .restart,
      """
      The share of the traces that begin at this server. Calls with the header traceparent follow \
      the decision of their client
      """),
    Setting(
      "tracing.service", flag: "tracing-service", \.tracing.serviceName,
      .filledText("name", allowed: "any text"), .restart,
      "The name of the server in traces (service.name)"),
  ]

  /// Throws if settings of traces contradict each other, or the authorities cannot be used.
  static func checkTracing(_ settings: LayeredValues<ServerSettings>) throws(SettingsError) {
    let values = settings.values.tracing
    if let path = values.headersFile {
      guard values.endpoint.map(keepsSecrets) == true else {
        throw settings.wrong(
          "tracing.headers_file",
          "needs a --tracing-endpoint that begins with https://, or that is on this machine")
      }
      do throws(CommandError) { _ = try HeaderFile.lines(of: path) } catch {
        throw settings.wrong("tracing.headers_file", error.description)
      }
    }
    guard let path = values.authorities else { return }
    guard values.endpoint?.hasPrefix("https:") == true else {
      throw settings.wrong(
        "tracing.ca_file", "needs a --tracing-endpoint that begins with https://")
    }
    do throws(CommandError) { _ = try CertificateFiles.authorities(CertificateFile(path)) } catch {
      throw settings.wrong("tracing.ca_file", error.description)
    }
  }

  /// Returns whether nobody on the network can read what is sent to an address. Headers go through no proxy to an
  /// address without TLS.
  private static func keepsSecrets(_ endpoint: String) -> Bool {
    guard !endpoint.hasPrefix("https:") else { return true }
    let host = endpoint.dropFirst("http://".count).prefix { !"/?#".contains($0) }
    return host.wholeMatch(of: #/(127(\.\d+){3}|localhost|\[::1\])(:\d+)?/#) != nil
  }
}
