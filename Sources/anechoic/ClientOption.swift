internal import ArgumentParser
internal import Foundation

/// Who a command acts as.
struct ClientOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who this is: sessions, changes and permissions go by this name.", valueName: "name"))
  var client = ClientName.login
}

/// A name that a header can carry: printable ASCII, up to 100 of it.
struct ClientName: ExpressibleByArgument, CustomStringConvertible {
  let description: String

  /// The login's, if it is fit for it.
  static var login: ClientName {
    ClientName(argument: NSUserName()) ?? ClientName(description: "anechoic")
  }

  init?(argument: String) {
    guard (1...100).contains(argument.utf8.count),
      argument.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
      argument.first != " ", argument.last != " "
    else { return nil }
    description = argument
  }

  private init(description: String) { self.description = description }
}
