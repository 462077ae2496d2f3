internal import AnechoicAPI
internal import SwiftProtobuf

/// The rule for when to tell the server which sample of its mix is being played: ten times a
/// second; at once when the rate changes or silence was inserted or samples were skipped; and at
/// once, three times, when the position changed for any other reason, because the server does not
/// believe a single time.
struct PlaybackReports {
  private static let interval: Int64 = 100_000_000
  private static let surprise: Int64 = 3_000_000
  private static let repeats = 2

  private let samplesPerSecond: Double
  private var last: PlayedNote?
  private var repeatsLeft = 0

  init(samplesPerSecond: Int) { self.samplesPerSecond = Double(samplesPerSecond) }

  /// Returns the report that a frame requires, or nil.
  mutating func report(_ note: PlayedNote) -> Anechoic_V1_PlaybackReport? {
    guard note.mixSample >= 0 else { return nil }
    var added: Int64 = 0
    if let last, last.epoch == note.epoch {
      added = note.added - last.added
      let samples = Double(note.mixSample - last.mixSample + added)
      let expected = last.heardAt + Int64(samples / samplesPerSecond * 1e9)
      if abs(note.heardAt - expected) > Self.surprise {
        // The counts do not explain the change. Only the times show the position.
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
