internal import BundledEngines
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import VoiceEngines
public import VoiceServer

extension ServerSettings {
  /// Returns the configuration of a server with these settings, without authentication, metrics and
  /// log. Throws a failure that names a certificate file, and the place of its setting, if the file
  /// cannot be used.
  ///
  /// - Parameter place: Returns the place of the setting with a path, or nil.
  func configuration(
    namingPlaces place: (String) -> String?
  ) throws -> ServerConfiguration {
    var configuration = ServerConfiguration(
      addresses: listen, threads: threads ?? ProcessInfo.processInfo.activeProcessorCount,
      engines: try EngineCatalog.bundled.preferring(engine))
    configuration.servesReflection = reflection
    configuration.injection.set(injection)
    try apply(to: &configuration, namingPlaces: place)
    return configuration
  }

  /// Replaces the parts of a configuration that a running server can change, except for the switch of
  /// injection.
  public func apply(
    to configuration: inout ServerConfiguration,
    namingPlaces place: (String) -> String? = { _ in nil }
  ) throws {
    configuration.engines = try EngineCatalog.bundled.preferring(engine)
    configuration.security = try security(namingPlaces: place)
    configuration.limits = limits
    configuration.allowsRecording = allowRecording
  }

  /// Reads the certificate files.
  private func security(
    namingPlaces place: (String) -> String?
  ) throws -> ServerSecurity {
    guard let tlsCertificate, let tlsKey else { return .plaintext }
    let identity = try CertificateFiles.identity(
      certificate: CertificateFile(tlsCertificate, namedBy: place("tls.certificate")),
      key: CertificateFile(tlsKey, namedBy: place("tls.key")))
    guard let tlsClientAuthorities else { return .tls(identity: identity) }
    return .tls(
      identity: identity,
      clientAuthorities: try CertificateFiles.authorities(
        CertificateFile(tlsClientAuthorities, namedBy: place("tls.client_ca"))))
  }
}
