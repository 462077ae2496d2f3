internal import AnechoicAPI
internal import ArgumentParser
internal import Foundation

/// Who a command acts as.
struct ClientOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who this is: sessions, changes and permissions go by this name.", valueName: "name"))
  var client = ClientName.login
}

/// A name by the rule.
struct ClientName: ExpressibleByArgument, CustomStringConvertible {
  let description: String

  /// The login's, if it is fit for it.
  static var login: ClientName {
    ClientName(argument: NSUserName()) ?? ClientName(description: "anechoic")
  }

  init?(argument: String) {
    guard ClientNameRule.allows(argument) else { return nil }
    description = argument
  }

  private init(description: String) { self.description = description }
}
