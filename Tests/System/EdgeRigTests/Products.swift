import Foundation

/// The folder of the built executables. The tests are in the same folder.
let products: URL = {
  let own = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
  return URL(filePath: own).resolvingSymlinksInPath().deletingLastPathComponent()
}()
