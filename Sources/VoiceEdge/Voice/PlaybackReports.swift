internal import AnechoicAPI
internal import SwiftProtobuf

/// When the server should be told where the loudspeaker is in its mix: ten times a second, at once when
/// its rate is another or it put in silence or skipped, and at once when it did not go on as expected
/// for any other reason: three times then, as a time that stands alone is not believed.
struct PlaybackReports {
  private static let interval: Int64 = 100_000_000
  private static let surprise: Int64 = 3_000_000
  private static let repeats = 2

  private let samplesPerSecond: Double
  private var last: PlayedNote?
  private var repeatsLeft = 0

  init(samplesPerSecond: Int) { self.samplesPerSecond = Double(samplesPerSecond) }

  /// The report that a frame calls for, or nil.
  mutating func report(_ note: PlayedNote) -> Anechoic_V1_PlaybackReport? {
    guard note.mixSample >= 0 else { return nil }
    var added: Int64 = 0
    if let last, last.epoch == note.epoch {
      added = note.added - last.added
      let samples = Double(note.mixSample - last.mixSample + added)
      let expected = last.heardAt + Int64(samples / samplesPerSecond * 1e9)
      if abs(note.heardAt - expected) > Self.surprise {
        // What was counted is not all that has happened: the times alone say where it is.
        added = 0
        repeatsLeft = Self.repeats
      } else if repeatsLeft > 0 {
        repeatsLeft -= 1
      } else if added == 0, note.rate == last.rate, note.heardAt - last.heardAt < Self.interval {
        return nil
      }
    }
    last = note
    return Anechoic_V1_PlaybackReport.with {
      $0.firstSample = note.mixSample
      $0.deviceTimeNs = note.heardAt
      $0.silenceSamples = UInt32(clamping: added)
      $0.skippedSamples = UInt32(clamping: -added)
      $0.ratePpm = note.rate
    }
  }
}
