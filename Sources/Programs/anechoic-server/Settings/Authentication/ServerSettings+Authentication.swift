internal import Authentication
internal import CommandLineSupport
internal import Foundation
public import Settings
internal import VoiceServer

extension ServerSettings {
  public static let authenticationSection: [Setting<ServerSettings>] = [
    Setting(
      "authentication.mode", flag: "authentication", \.authentication.mode, .mode, .restart,
      """
      How clients prove who they are: with a token for each call, or with a certificate. With none, \
      every client may do everything, under any name. Required on addresses that other machines can \
      reach
      """),
    Setting(
      "authentication.jwt_keys", \.authentication.jwtKeys, .file, .restart,
      """
      The public keys that verify tokens, a JSON Web Key Set or PEM. The file is read again when it \
      changes
      """),
    Setting(
      "authentication.jwt_keys_url", flag: "jwt-keys-url", \.authentication.jwtKeysURL,
      .webAddress(schemes: ["https"], allowed: "https://HOST/PATH"), .restart,
      """
      The https address of the JSON Web Key Set of an issuer, instead of a file. The server fetches \
      the keys again by their age, and for a token whose key is not among them
      """),
    Setting(
      "authentication.jwt_keys_ca", \.authentication.jwtKeysCA, .file, .restart,
      """
      The authorities in PEM that sign the certificate of jwt_keys_url. Without it, those that the \
      system trusts
      """),
    Setting(
      "authentication.jwt_keys_refresh", \.authentication.jwtKeysRefresh, .time(.jwtKeysRefresh),
      .restart, "The age at which the keys of jwt_keys_url are fetched again"),
    Setting(
      "authentication.jwt_issuer", \.authentication.jwtIssuer,
      .optionalText("name", allowed: "any text"), .restart, "The issuer (iss) of accepted tokens"),
    Setting(
      "authentication.jwt_audience", \.authentication.jwtAudience,
      .optionalText("name", allowed: "any text"), .restart,
      "The audience (aud) of accepted tokens"),
    Setting(
      "authentication.jwt_clock_skew", \.authentication.jwtClockSkew, .time(.jwtClockSkew),
      .restart, "How much the clocks of the issuer and of this machine may differ"),
    Setting(
      "authentication.jwt_end_expired_calls", \.authentication.jwtEndExpiredCalls, .boolean,
      .restart, "Whether a running call ends when its token expires"),
    Setting(
      "authentication.certificate_scopes", \.authentication.certificateScopes, .scopeRules,
      .restart,
      """
      The scopes of clients by the names in their certificates, such as \
      'spiffe://voice.example/edge/*=media,read'. The first match counts. In a variable, semicolons \
      separate rules
      """),
    Setting(
      "authentication.certificate_default_scopes", \.authentication.certificateDefaultScopes,
      .scopes, .restart, "The scopes of clients that no rule of certificate_scopes matches"),
  ]

  /// Throws if settings of authentication contradict each other.
  static func checkAuthentication(
    _ settings: LayeredValues<ServerSettings>
  ) throws(SettingsError) {
    let values = settings.values.authentication
    if values.mode == .jwt {
      guard values.jwtKeys != nil || values.jwtKeysURL != nil, values.jwtIssuer != nil,
        values.jwtAudience != nil
      else {
        throw settings.wrong(
          "authentication.mode",
          "jwt needs --jwt-keys or --jwt-keys-url, --jwt-issuer and --jwt-audience")
      }
      guard values.jwtKeys == nil || values.jwtKeysURL == nil else {
        throw settings.wrong(
          "authentication.jwt_keys_url", "excludes --jwt-keys; use one of them")
      }
      guard values.jwtKeysURL != nil || values.jwtKeysCA == nil else {
        throw settings.wrong("authentication.jwt_keys_ca", "needs --jwt-keys-url")
      }
      if let path = values.jwtKeysCA {
        // libcurl reads the file for each fetch, and tells a mistake in it only then.
        do throws(CommandError) {
          _ = try CertificateFiles.authorities(CertificateFile(path))
        } catch {
          throw settings.wrong("authentication.jwt_keys_ca", error.description)
        }
      }
    } else {
      for (path, value) in [
        ("authentication.jwt_keys", values.jwtKeys),
        ("authentication.jwt_keys_url", values.jwtKeysURL),
        ("authentication.jwt_keys_ca", values.jwtKeysCA),
        ("authentication.jwt_issuer", values.jwtIssuer),
        ("authentication.jwt_audience", values.jwtAudience),
      ] where value != nil {
        throw settings.wrong(path, "needs --authentication jwt")
      }
    }
    guard values.mode != .certificate || settings.values.tlsClientAuthorities != nil else {
      throw settings.wrong(
        "authentication.mode", "certificate needs the authorities of --tls-client-ca")
    }
    guard values.mode == .certificate || values.certificateScopes.isEmpty else {
      throw settings.wrong(
        "authentication.certificate_scopes", "needs --authentication certificate")
    }
    guard values.certificateScopes.count <= ScopeMap.mostRules else {
      throw settings.wrong(
        "authentication.certificate_scopes", "must have at most \(ScopeMap.mostRules) rules")
    }
    let isVerified = values.mode == .jwt || values.mode == .certificate
    guard settings.values.injectionPermissionsFile == nil || isVerified else {
      throw settings.wrong(
        "sessions.injection_permissions_file", "needs --authentication jwt or certificate")
    }
  }
}

extension SettingFormat<AuthenticationSettings.Mode?> {
  fileprivate static var mode: Self {
    SettingFormat("mode", allowed: "none, jwt or certificate") { text in
      if text.isEmpty { return .some(nil) }
      return AuthenticationSettings.Mode(rawValue: text).map { .some($0) }
    } show: {
      $0?.rawValue ?? ""
    }
  }
}

extension SettingFormat<[String]> {
  fileprivate static var scopeRules: Self {
    .list("pattern=scopes", allowed: "PATTERN=SCOPE,SCOPE; repeatable", separator: ";") { text in
      ScopeMap.Rule(text) == nil
        ? "\"\(text)\" must have the form PATTERN=SCOPE,SCOPE with scopes of \(scopeNames); in a "
          + "variable, semicolons separate rules" : nil
    }
  }
}

extension SettingFormat<String> {
  fileprivate static var scopes: Self {
    .text("scopes", allowed: "\(scopeNames), or none") { text in
      Set<Scope>(list: text) == nil ? "\"\(text)\" must list \(scopeNames)" : nil
    }
  }
}

private let scopeNames = Scope.allCases.map(\.rawValue).joined(separator: ", ")
