/// The contents of a report on a processed recording. Every text is plain: the page and the picture
/// escape it.
package struct Report: Sendable {
  package var title: String
  package var subtitle: String
  /// Sentences about faults of the whole recording, for the top of the page.
  package var warnings: [String]
  /// The length of the time axis of all plots, in seconds.
  package var duration: Double
  /// The sounds, each with its spectrogram.
  package var sounds: [Sound]
  /// The plots below the spectrograms.
  package var plots: [Plot]
  /// The most important figures, for the top of the page.
  package var highlights: [Fact]
  package var facts: [Fact]
  /// The headings of the values of the facts. Empty if there is one value for each.
  package var columns: [String]
  package var events: [Event]
  /// The number of events that the list leaves out.
  package var omittedEvents: Int
  /// The levels of the colours in the spectrograms, in dBFS.
  package var levels: ClosedRange<Double>
  /// The version of the program that made the report.
  package var version: String

  package init(
    title: String, subtitle: String, warnings: [String], duration: Double, sounds: [Sound],
    plots: [Plot], highlights: [Fact], facts: [Fact], columns: [String] = [], events: [Event],
    omittedEvents: Int, levels: ClosedRange<Double>, version: String
  ) {
    self.title = title
    self.subtitle = subtitle
    self.warnings = warnings
    self.duration = duration
    self.sounds = sounds
    self.plots = plots
    self.highlights = highlights
    self.facts = facts
    self.columns = columns
    self.events = events
    self.omittedEvents = omittedEvents
    self.levels = levels
    self.version = version
  }

  /// A number with its name, or the numbers of several runs.
  package struct Fact: Sendable {
    package var name: String
    package var values: [String]

    package init(_ name: String, _ values: String...) { self.init(name, values) }

    package init(_ name: String, _ values: [String]) {
      self.name = name
      self.values = values
    }

    /// All values in one line.
    package var text: String { values.joined(separator: " / ") }
  }

  /// A thing that happened at a time in seconds.
  package struct Event: Sendable {
    package var time: Double
    package var text: String

    package init(time: Double, text: String) {
      self.time = time
      self.text = text
    }
  }

  /// A sound with its plot.
  package struct Sound: Sendable {
    package var plot: Plot
    /// The file that the page embeds. Nil if the page has no player for the sound.
    package var media: Media?

    package init(plot: Plot, media: Media?) {
      self.plot = plot
      self.media = media
    }
  }

  /// A file with sound in a format that browsers play.
  package struct Media: Sendable {
    package var path: String
    /// The media type, such as audio/flac.
    package var type: String
    /// A sentence for the reader, such as where the sound was cut. May be empty.
    package var note: String

    package init(path: String, type: String, note: String) {
      self.path = path
      self.type = type
      self.note = note
    }
  }
}

/// Values over the time axis of a report.
package struct Plot: Sendable {
  package var title: String
  /// The text beside the title, such as the name of a file or the unit.
  package var caption: String
  package var content: Content

  package init(title: String, caption: String, content: Content) {
    self.title = title
    self.caption = caption
    self.content = content
  }

  package enum Content: Sendable {
    /// A picture of the whole plot, and its axis.
    case image(PNGImage, Axis)
    case curves([Curve], Axis)
    /// Spans of time in rows, and the times of events.
    case lanes([Lane], marks: [Double])
  }

  /// The colours of curves and lanes.
  package enum Tint: String, Sendable {
    case microphone, reference, output, second, warning
  }

  package struct Curve: Sendable {
    package var name: String
    package var tint: Tint
    /// Times in seconds and values. A value that is nil interrupts the curve.
    package var points: [(time: Double, value: Double?)]

    package init(name: String, tint: Tint, points: [(time: Double, value: Double?)]) {
      self.name = name
      self.tint = tint
      self.points = points
    }
  }

  package struct Lane: Sendable {
    package var name: String
    package var tint: Tint
    /// Times in seconds.
    package var spans: [Range<Double>]

    package init(name: String, tint: Tint, spans: [Range<Double>]) {
      self.name = name
      self.tint = tint
      self.spans = spans
    }
  }
}
