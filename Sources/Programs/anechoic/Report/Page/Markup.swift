internal import Foundation
internal import LinuxSystem

/// Text for HTML and SVG.
enum Markup {
  /// Returns a text with its special characters escaped, for elements and for attributes in double
  /// quotes. Control characters, which XML does not allow, become U+FFFD.
  static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n", "\r": result += " "
      case "\u{0}"..<"\u{20}", "\u{7f}"..<"\u{a0}", "\u{fffe}", "\u{ffff}": result += "\u{fffd}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns a share of a length.
  static func percent(_ share: Double) -> String { (share * 100).fixed(3) + "%" }

  /// Returns bytes as a URL.
  static func dataURL(_ type: String, _ bytes: [UInt8]) -> String {
    "data:\(type);base64," + Data(bytes).base64EncodedString()
  }

  /// Returns the source expression with which a policy allows an inline script or style.
  static func policySource(of text: String) -> String {
    let digest = SHA256.digest(of: Array(text.utf8))
    return "'sha256-\(Data(digest).base64EncodedString())'"
  }
}
