internal import Foundation

/// A report as one HTML page without other files. A browser that obeys its policy loads nothing from
/// anywhere.
package struct ReportPage {
  /// The bytes of a file that are encoded at once: a multiple of three, which has no padding.
  private static let block = 3 << 16
  /// The approximate distance of the labels of time in pixels of a wide page.
  private static let timeTicks = 10

  private let report: Report
  private let time: Axis

  package init(_ report: Report) {
    self.report = report
    time = Axis(time: report.duration, ticks: Self.timeTicks)
  }

  /// Passes the page to `write` in pieces, so that long sounds need no memory. Rethrows its errors,
  /// and throws if a file with sound cannot be read.
  package func write(to write: (String) throws -> Void) throws {
    try write(start)
    for sound in report.sounds {
      try write("<section class=\"plot sound\"><div class=\"bar\">\(heading(sound.plot))")
      if let media = sound.media {
        try write(
          "<audio controls preload=\"metadata\" aria-label=\"\(Markup.escape(sound.plot.title))\""
            + " src=\"data:\(media.type);base64,")
        try Self.encode(media.path, to: write)
        try write("\"></audio></div>")
        if !media.note.isEmpty {
          try write("<p class=\"note\">\(Markup.escape(media.note))</p>")
        }
      } else {
        try write("</div>")
      }
      try write(rows(sound.plot) + "</section>\n")
    }
    for plot in report.plots {
      try write(
        "<section class=\"plot\"><div class=\"bar\">\(heading(plot))</div>\(rows(plot))</section>\n"
      )
    }
    try write(end)
  }

  private var start: String {
    let policy =
      "default-src 'none'; img-src data:; media-src data:; base-uri 'none'; form-action 'none'; "
      + "style-src \(Markup.policySource(of: PageStyle.text)); "
      + "script-src \(Markup.policySource(of: PageScript.text))"
    let highlights = report.highlights.map {
      "<div><dt>\(Markup.escape($0.name))</dt><dd>\(Markup.escape($0.text))</dd></div>"
    }.joined()
    let warnings = report.warnings.map {
      "<p class=\"alert\" role=\"alert\">Warning: \(Markup.escape($0)).</p>"
    }.joined()
    let keys =
      report.sounds.contains { $0.media != nil }
      ? "Click a plot to move. Start another player to compare it at the same place. "
        + "Keys: space, ← →, + −, 1 to \(report.sounds.count)."
      : "Click a plot to move. Keys: ← →, + −."
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>\(Markup.escape(report.title))</title>
      <link rel="icon" href="data:,">
      <style>\(PageStyle.text)</style>
      </head>
      <body data-duration="\(report.duration)">
      <main>
      <header><h1>\(Markup.escape(report.title))</h1>
      <p class="subtitle">\(Markup.escape(report.subtitle))</p>\(warnings)</header>
      <dl class="highlights">\(highlights)</dl>
      <div class="scale"><svg role="img" aria-label="The colours of levels">\
      \(PlotMarkup.colorBar(report.levels))</svg><span>dBFS</span>
      <span id="clock">0:00.00</span><span id="zoom" hidden>\
      <button type="button" aria-label="Zoom out">−</button>\
      <button type="button">Whole</button>\
      <button type="button" aria-label="Zoom in">+</button> <span id="range"></span></span>\
      <p class="hint">\(keys)</p></div>

      """
  }

  private var end: String {
    let columns = report.columns.map { "<th>\(Markup.escape($0))</th>" }.joined()
    let headings = columns.isEmpty ? "" : "<tr class=\"columns\"><td></td>\(columns)</tr>"
    let facts = report.facts.map { fact in
      "<tr><th>\(Markup.escape(fact.name))</th>"
        + fact.values.map { "<td>\(Markup.escape($0))</td>" }.joined() + "</tr>"
    }.joined(separator: "\n")
    let events = report.events.map { event in
      let text = Clock.text(event.time, digits: 2, longest: report.duration)
      return "<tr><th><button type=\"button\" data-time=\"\(event.time)\">\(text)</button></th>"
        + "<td>\(Markup.escape(event.text))</td></tr>"
    }.joined(separator: "\n")
    let omitted =
      report.omittedEvents > 0
      ? "<p class=\"note\">\(report.omittedEvents) later events are not listed.</p>" : ""
    return """
      <div class="tables">
      <section><h2>Numbers</h2><table class="facts">\(headings)\(facts)</table></section>
      <section><h2>Events</h2><table class="events">\(events)</table>\(omitted)</section>
      </div>
      <footer>Made by anechoic \(Markup.escape(report.version)).</footer>
      </main>
      <script>\(PageScript.text)</script>
      </body>
      </html>

      """
  }

  private func heading(_ plot: Plot) -> String {
    var keys = ""
    if case .curves(let curves, _) = plot.content, curves.count > 1 {
      keys = curves.map {
        "<span class=\"key \($0.tint.rawValue)\">\(Markup.escape($0.name))</span>"
      }.joined()
    }
    let caption = "<small>\(Markup.escape(plot.caption))</small>"
    return "<h2>\(Markup.escape(plot.title)) \(caption)\(keys)</h2>"
  }

  private func rows(_ plot: Plot) -> String {
    let kind =
      switch plot.content {
      case .image: "image"
      case .curves: "curves"
      case .lanes: "lanes"
      }
    let name = Markup.escape("\(plot.title), position")
    return """
      <div class="rows"><svg class="\(kind)" aria-hidden="true">\(PlotMarkup.gutter(plot))</svg>\
      <div class="view \(kind)"><svg class="cell" role="slider" tabindex="0" aria-label="\(name)" \
      aria-valuemin="0" aria-valuemax="\(report.duration)" aria-valuenow="0">\
      \(PlotMarkup.cell(plot, time: time))</svg></div>\
      <div class="view times"><svg class="labels" aria-hidden="true">\
      \(PlotMarkup.timeLabels(time))</svg></div></div>
      """
  }

  private static func encode(_ path: String, to write: (String) throws -> Void) throws {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    while let part = try file.read(upToCount: block), !part.isEmpty {
      try write(part.base64EncodedString())
    }
  }
}
