import Foundation

/// Beside the tests, where SwiftPM puts all that it builds.
let products: URL = {
  let own = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
  return URL(filePath: own).resolvingSymlinksInPath().deletingLastPathComponent()
}()
