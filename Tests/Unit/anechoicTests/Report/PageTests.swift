import Foundation
import FoundationXML
import Testing

@testable import anechoic

/// The page and the picture of a report whose every text is hostile.
struct PageTests {
  private static let hostile = "<img src=x onerror=alert(1)>\"'&\u{0}\u{1b}</script></style>]]>"
  private let report: Report

  init() {
    let image = PNGImage(width: 2, height: 1, indices: [0, 255], palette: ColorMap.palette)
    let hostile = Self.hostile
    let curve = Plot.Curve(
      name: hostile, tint: .output, points: [(0, 1), (1, 2), (2, nil), (3, 4), (4, .nan), (5, 3)])
    report = Report(
      title: hostile, subtitle: hostile, warnings: [hostile], duration: 10,
      sounds: [
        Report.Sound(
          plot: Plot(
            title: hostile, caption: hostile, content: .image(image, Axis(0...8, ticks: 5))),
          media: nil)
      ],
      plots: [
        Plot(
          title: hostile, caption: hostile,
          content: .curves([curve, curve], Axis(0...5, ticks: 5))),
        Plot(
          title: hostile, caption: hostile,
          content: .lanes(
            [Plot.Lane(name: hostile, tint: .warning, spans: [1..<2, 3..<3.001])], marks: [4])),
      ],
      highlights: [Report.Fact(hostile, hostile)], facts: [Report.Fact(hostile, hostile)],
      events: [Report.Event(time: 1, text: hostile)], omittedEvents: 3, levels: -100...(-20),
      version: hostile)
  }

  private func page() throws -> String {
    var page = ""
    try ReportPage(report).write { page += $0 }
    return page
  }

  @Test func thePictureIsXML() throws {
    let counter = ElementCounter()
    let parser = XMLParser(data: Data(ReportPicture(report).svg.utf8))
    parser.delegate = counter
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(counter.elements["image"] == 1 && counter.elements["script"] == nil)
    #expect(counter.elements["img"] == nil && counter.attributes["onerror"] == nil)
    #expect(counter.text.contains("<img src=x onerror=alert(1)>\"'&"))
  }

  @Test func thePageContainsNoTextUnescaped() throws {
    let page = try page()
    #expect(!page.contains("<img") && !page.contains("\u{1b}"))
    #expect(page.components(separatedBy: "</script>").count == 2)
    #expect(page.components(separatedBy: "</style>").count == 2)
    #expect(page.contains("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"))
  }

  @Test func thePageLoadsNothing() throws {
    let page = try page()
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("url(h"))
    #expect(!page.contains("unsafe-inline") && !page.contains(" style=\""))
    for match in page.matches(of: #/(?:src|href)="([^"]*)"/#) {
      #expect(match.1.hasPrefix("data:"), "\(match.1.prefix(40))")
    }
  }

  @Test func curvesAreInterruptedWhereAValueIsMissing() throws {
    let page = try page()
    let path = try #require(page.firstMatch(of: #/d="(M[^"]*)"/#)).1
    #expect(path == "M0.0 160.0h0L200.0 120.0M600.0 40.0h0M1000.0 80.0h0")
  }

  @Test func shortSpansRemainVisible() throws {
    let page = try page()
    #expect(page.contains("M200.0 36.0H400.0V164.0H200.0z"))
    #expect(page.contains("M600.0 36.0H601.0V164.0H600.0z"))
  }

  @Test func theSoundOfAFileIsEmbeddedWhole() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-\(UUID().uuidString)")
    let bytes = Data((0..<400_001).map { UInt8($0 % 251) })
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var report = report
    report.sounds[0].media = Report.Media(path: file.path, type: "audio/flac", note: "a < b")
    var page = ""
    try ReportPage(report).write { page += $0 }
    let media = try #require(page.firstMatch(of: #/data:audio/flac;base64,([^"]*)"/#)).1
    #expect(Data(base64Encoded: String(media)) == bytes)
    #expect(page.contains("a &lt; b"))
  }
}

private final class ElementCounter: NSObject, XMLParserDelegate {
  var elements: [String: Int] = [:]
  var attributes: [String: Int] = [:]
  var text = ""

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
    qualifiedName: String?, attributes names: [String: String]
  ) {
    elements[element, default: 0] += 1
    for name in names.keys { attributes[name, default: 0] += 1 }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}
