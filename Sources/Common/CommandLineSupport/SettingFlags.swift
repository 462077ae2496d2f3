public import ArgumentParser
public import Settings

/// A section of a program's settings, as a group of flags.
public protocol FlagSection {
  associatedtype Values: Sendable
  static var table: SettingsTable<Values> { get }
  /// The name of the section in the file.
  static var name: String { get }
}

extension FlagSection {
  static var settings: [Setting<Values>] {
    table.settings.filter { $0.section == name && $0.flag != nil }
  }
}

/// The flags of the settings in a section. A flag that is not given has no value.
///
/// ArgumentParser finds the flags in the mirror of this type, and not in properties, so that the
/// table of the settings is the only place that names them.
public struct SettingFlags<Section: FlagSection>: ParsableArguments, CustomReflectable {
  /// The flags that are given, with their values.
  public private(set) var given: [GivenFlag] = []

  public init() {}

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FlagKey.self)
    for setting in Section.settings {
      guard let name = setting.flag else { continue }
      let key = FlagKey(stringValue: name)
      let values: [String]
      switch setting.shape {
      case .toggle:
        let flag = try container.decode(Flag<Bool?>.self, forKey: key).wrappedValue
        values = flag.map { ["\($0)"] } ?? []
      case .value:
        let option = try container.decode(Option<String?>.self, forKey: key).wrappedValue
        values = option.map { [$0] } ?? []
      case .list: values = try container.decode(Option<[String]>.self, forKey: key).wrappedValue
      case .structure: values = []
      }
      if !values.isEmpty { given.append(GivenFlag(path: setting.path, name: name, values: values)) }
    }
  }

  public var customMirror: Mirror {
    Mirror(
      self,
      children: Section.settings.compactMap { setting in
        setting.flag.flatMap { flag in
          Self.argument(setting, flag).map { (label: flag, value: $0) }
        }
      }, displayStyle: .struct)
  }

  /// Returns the property wrapper that declares a flag.
  private static func argument(_ setting: Setting<Section.Values>, _ flag: String) -> Any? {
    let name = NameSpecification.customLong(flag)
    let defaultText = setting.defaultText(in: Section.table.defaults)
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
    case .structure: return nil
    }
  }

  private static func help(
    _ setting: Setting<Section.Values>, _ placeholder: String, _ defaultText: String
  ) -> ArgumentHelp {
    ArgumentHelp(
      "\(setting.description). (default: \(defaultText))", valueName: placeholder)
  }
}

/// A flag on the command line, with its values.
public struct GivenFlag: Sendable {
  /// The path of the key.
  public let path: String
  /// The name on the command line, without hyphens.
  public let name: String
  let values: [String]
}

extension SettingsOverrides {
  /// Creates the overrides of flags and of the environment.
  public init(_ flags: [GivenFlag], environment: [String: String]) {
    self.init(environment: environment)
    for flag in flags { set(flag.path, flag.values, flag: "--\(flag.name)") }
  }
}

private struct FlagKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
