internal import ArgumentParser
internal import CommandLineSupport
internal import Settings

/// A section of the settings, as a group of flags.
protocol FlagSection {
  static var settings: [Setting<ServerSettings>] { get }
}

enum ListenFlags: FlagSection {
  static var settings: [Setting<ServerSettings>] { ServerSettings.listenSection }
}
enum TLSFlags: FlagSection {
  static var settings: [Setting<ServerSettings>] { ServerSettings.tlsSection }
}
enum SessionsFlags: FlagSection {
  static var settings: [Setting<ServerSettings>] { ServerSettings.sessionsSection }
}
enum AuthenticationFlags: FlagSection {
  static var settings: [Setting<ServerSettings>] { ServerSettings.authenticationSection }
}
enum LogFlags: FlagSection {
  static var settings: [Setting<ServerSettings>] { ServerSettings.logSection }
}
enum LimitsFlags: FlagSection {
  static var settings: [Setting<ServerSettings>] { ServerSettings.limitsSection }
}

/// The flags of the settings in a section. A flag that is not given has no value.
///
/// ArgumentParser finds the flags in the mirror of this type, and not in properties, so that the table
/// of the settings is the only place that names them.
struct SettingFlags<Section: FlagSection>: ParsableArguments, CustomReflectable {
  /// The flags that are given, with their values.
  private(set) var given: [(path: String, flag: String, values: [String])] = []

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FlagKey.self)
    for setting in Section.settings {
      let key = FlagKey(stringValue: setting.flag)
      let values: [String]
      switch setting.shape {
      case .toggle:
        let flag = try container.decode(Flag<Bool?>.self, forKey: key).wrappedValue
        values = flag.map { ["\($0)"] } ?? []
      case .value:
        let option = try container.decode(Option<String?>.self, forKey: key).wrappedValue
        values = option.map { [$0] } ?? []
      case .list: values = try container.decode(Option<[String]>.self, forKey: key).wrappedValue
      }
      if !values.isEmpty { given.append((setting.path, "--\(setting.flag)", values)) }
    }
  }

  var customMirror: Mirror {
    Mirror(
      self, children: Section.settings.map { (label: $0.flag, value: Self.argument($0)) },
      displayStyle: .struct)
  }

  /// Returns the property wrapper that declares a flag.
  private static func argument(_ setting: Setting<ServerSettings>) -> Any {
    let name = NameSpecification.customLong(setting.flag)
    let defaultText = setting.defaultText(in: ServerSettings.table.defaults)
    switch setting.shape {
    case .toggle:
      return Flag<Bool?>(
        name: name, inversion: .prefixedNo,
        help: ArgumentHelp("\(setting.help). (default: \(defaultText))"))
    case .value(let placeholder):
      return Option<String?>(
        name: name, parsing: .unconditional, help: help(setting, placeholder, defaultText))
    case .list(let placeholder, _):
      return Option<[String]>(
        wrappedValue: [], name: name, parsing: .unconditionalSingleValue,
        help: help(setting, placeholder, defaultText))
    }
  }

  private static func help(
    _ setting: Setting<ServerSettings>, _ placeholder: String, _ defaultText: String
  ) -> ArgumentHelp {
    ArgumentHelp(
      "\(setting.help): \(setting.allowed). (default: \(defaultText))", valueName: placeholder)
  }
}

private struct FlagKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The option that names the settings file.
struct SettingsFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The settings file. (default: \(SettingsSources.fileVariable), or \
      \(SettingsSources.defaultFile) if it exists)
      """, valueName: "file"))
  var config: String?
}

extension SettingsSources {
  /// Reads the settings. Wrong flags are wrong usage.
  func readForCommand() throws -> LayeredValues<ServerSettings> {
    do {
      return try read()
    } catch let error as SettingsError {
      throw error.isOfFlag
        ? ValidationError("\(error).") : CommandFailure(error.description) as any Error
    }
  }
}
