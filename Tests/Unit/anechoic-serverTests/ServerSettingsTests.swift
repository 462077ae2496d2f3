import Foundation
import Settings
import TestDocuments
import Testing
import anechoic_server

/// The settings of the server, its sample file and its reference.
struct ServerSettingsTests {
  private func documents() throws -> SettingsDocuments<ServerSettings> {
    try SettingsDocuments(
      of: ServerSettings.table, sample: "deploy/anechoic-server.yaml",
      page: "docs/reference/configuration.md")
  }

  @Test func theSampleHasEveryKeyWithItsDefault() throws {
    let documents = try documents()
    let settings = try ServerSettings.table.read(
      documents.uncommentedSample, file: "sample.yaml", SettingsOverrides())
    #expect(settings.values == ServerSettings())
    #expect(documents.missing(from: settings).isEmpty, "run scripts/generate settings")
  }

  @Test func theSampleIsTheOneThatTheCodeWrites() throws {
    #expect(try documents().sample == ServerSettings.sample, "run scripts/generate settings")
  }

  @Test func theReferenceHasTheTableThatTheCodeWrites() throws {
    #expect(
      try documents().page.contains(ServerSettings.table.reference()),
      "run scripts/generate settings")
  }

  @Test func noVariableCanBeOneThatKubernetesSets() {
    // A Service called anechoic sets ANECHOIC_SERVICE_HOST, ANECHOIC_PORT, ANECHOIC_PORT_50051_TCP.
    for setting in ServerSettings.table.settings {
      let variable = ServerSettings.table.variable(of: setting) ?? ""
      #expect(!variable.contains("_SERVICE_") && !variable.contains("_PORT"))
    }
  }

  @Test(arguments: [
    ("tls: {key: /k}", "x.yaml:1: tls.key: the certificate and the key must be set together"),
    ("tls: {client_ca: /a}", "x.yaml:1: tls.client_ca: needs a certificate and a key"),
    (
      "listen: {public: [\"127.0.0.1:5000\", \"127.0.0.1:5000\"]}",
      "x.yaml:1: listen.public: 127.0.0.1:5000 is taken by 127.0.0.1:5000 of listen.public; give"
    ),
    (
      "listen: {public: \"127.0.0.1:5000\", http: \"localhost:5000\"}",
      "x.yaml:1: listen.http: localhost:5000 is taken by 127.0.0.1:5000 of listen.public; give"
    ),
    (
      "listen: {admin: \"127.0.0.1:5000\", http: \"0.0.0.0:5000\"}",
      "x.yaml:1: listen.http: 0.0.0.0:5000 is taken by 127.0.0.1:5000 of listen.admin; give"
    ),
    (
      "listen: {public: [\"[::1]:5000\", \"[0:0::1]:5000\"]}",
      "x.yaml:1: listen.public: [0:0::1]:5000 is taken by [::1]:5000 of listen.public; give"
    ),
    (
      "listen: {public: \"127.0.0.1:5000\", http: \"[::ffff:127.0.0.1]:5000\"}",
      "x.yaml:1: listen.http: [::ffff:127.0.0.1]:5000 is taken by 127.0.0.1:5000 of listen.public"
    ),
    (
      "listen: {public: [\"unix:/run/a\", \"unix:/run/./a\"]}",
      "x.yaml:1: listen.public: unix:/run/./a is taken by unix:/run/a of listen.public; give"
    ),
    (
      "listen: {public: [\"unix:/run/a\", \"unix:///run/a\"]}",
      "x.yaml:1: listen.public: unix:///run/a is taken by unix:/run/a of listen.public; give"
    ),
    (
      "listen: {public: \"127.0.0.1:5000\", http: \"127.1:5000\"}",
      "x.yaml:1: listen.http: 127.1:5000 is taken by 127.0.0.1:5000 of listen.public; give"
    ),
    (
      "listen: {public: \"localhost:5000\", http: \"[::1]:5000\"}",
      "x.yaml:1: listen.http: [::1]:5000 is taken by localhost:5000 of listen.public; give"
    ),
    ("sessions: {engine: x}", "x.yaml:1: sessions.engine: \"x\" is not an engine"),
    (
      "limits: {idle_limit: 8d}",
      "x.yaml:1: limits.idle_limit: \"8d\" is not allowed; use 0, or 1s to 7d"
    ),
  ])
  func aContradictionIsNamed(text: String, expected: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("x.yaml")
    try Data(text.utf8).write(to: file)
    let error = #expect(throws: SettingsError.self) {
      try SettingsSources(file: file.path, environment: [:]).read()
    }
    #expect(error?.description.hasPrefix("\(folder.path)/\(expected)") == true)
  }
}
