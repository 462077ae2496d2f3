internal import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

/// The requests of a session that wait to be sent or may have to be sent again, in their order. The
/// indexes are those of the caller.
///
/// Every chunk has its index, so that the server recognizes a chunk that comes twice.
struct RequestJournal {
  /// The most answers to controls that are waited for. The oldest control is then forgotten.
  private static let mostControls = 256

  private struct Item {
    var request: Anechoic_V1_ProcessRequest
    /// The place in the order in which the caller sent the requests.
    var number: Int
    /// The microphone's indexes of the audio. Empty for other requests.
    var samples: Range<Int64>

    var isAudio: Bool { if case .audio = request.request { true } else { false } }
  }

  /// The next index of an input.
  private struct Counter {
    let format: Anechoic_V1_AudioFormat
    private(set) var next: Int64 = 0

    init(_ format: Anechoic_V1_AudioFormat) { self.format = format }

    /// Gives a chunk its index unless it has one. Returns the indexes of its samples.
    @discardableResult
    mutating func number(_ chunk: inout Anechoic_V1_AudioChunk) -> Range<Int64> {
      if !chunk.hasFirstSample { chunk.firstSample = next }
      let first = chunk.firstSample
      next = max(next, first + chunk.sampleCount(format))
      return first..<max(first, next)
    }
  }

  private var items: [Item] = []
  /// The number of items that were sent.
  private var sent = 0
  /// The controls that were sent and not answered yet.
  private var unanswered: [Item] = []
  /// The number of the next item.
  private var nextNumber = 0
  /// The last report of the route, and the reports of the interruptions that last, in their order. A new session
  /// does not know them.
  private var route: Anechoic_V1_DeviceReport?
  private var interruptions: [Anechoic_V1_DeviceReport] = []
  private var microphone: Counter
  private var reference: Counter
  private var farEnd: Counter
  private var otherAudio: Counter
  private var farEnds: [String: Counter]

  init(_ inputs: Anechoic_V1_Start.Inputs) {
    microphone = Counter(inputs.microphone)
    reference = Counter(inputs.reference)
    farEnd = Counter(inputs.farEnd)
    otherAudio = Counter(inputs.otherAudio)
    farEnds = Dictionary(
      inputs.farEnds.map { ($0.farEndID, Counter($0.format)) }, uniquingKeysWith: { $1 })
  }

  /// The index of the next sample of the microphone.
  var position: Int64 { microphone.next }
  /// The number of requests that were not sent yet.
  var unsentCount: Int { items.count - sent }
  /// The index after the last sample of the microphone that was sent.
  var sentSample: Int64 { items[sent...].first(where: \.isAudio)?.samples.lowerBound ?? position }
  /// The index of the first microphone sample that is kept, or of the next one.
  var oldestSample: Int64 { items.first(where: \.isAudio)?.samples.lowerBound ?? position }
  /// The number of microphone samples that are kept.
  var keptSamples: Int64 { position - oldestSample }

  /// The mute state that the caller asked for last, for a sample or an earlier one, where no answer has come
  /// yet.
  func wantedMute(at sample: Int64) -> Bool? {
    let controls = (unanswered + items).compactMap { item -> Anechoic_V1_Control? in
      if case .control(let control) = item.request.request { control } else { nil }
    }
    return controls.reduce(nil) { wanted, control in
      guard case .setMute(let change) = control.control, !change.hasIfGeneration,
        !control.hasAtSample || control.atSample <= sample
      else {
        return wanted
      }
      return change.muted
    }
  }

  mutating func add(_ audio: Anechoic_V1_AudioInput) {
    var audio = audio
    if audio.hasReference { reference.number(&audio.reference) }
    if audio.hasFarEnd { farEnd.number(&audio.farEnd) }
    if audio.hasOtherAudio { otherAudio.number(&audio.otherAudio) }
    for index in audio.farEnds.indices {
      farEnds[audio.farEnds[index].farEndID]?.number(&audio.farEnds[index].audio)
    }
    let samples = audio.hasMicrophone ? microphone.number(&audio.microphone) : position..<position
    append(.with { $0.audio = audio }, samples)
  }

  mutating func add(_ request: Anechoic_V1_ProcessRequest) {
    switch request.deviceReport.report {
    case .routeChanged: route = request.deviceReport
    case .interruption(let interruption): record(interruption, request.deviceReport)
    case nil: break
    }
    append(request, position..<position)
  }

  private mutating func append(_ request: Anechoic_V1_ProcessRequest, _ samples: Range<Int64>) {
    items.append(Item(request: request, number: nextNumber, samples: samples))
    nextNumber += 1
  }

  private mutating func record(
    _ interruption: Anechoic_V1_Interruption, _ report: Anechoic_V1_DeviceReport
  ) {
    // An end without a reason ends all.
    let endsAll = !interruption.began && interruption.reason == .unspecified
    interruptions.removeAll { endsAll || $0.interruption.reason == interruption.reason }
    if interruption.began { interruptions.append(report) }
  }

  /// Returns the next request to send, or nil if there is none. Only audio is kept afterwards, and
  /// controls until they are answered.
  mutating func popNext() -> Anechoic_V1_ProcessRequest? {
    guard sent < items.count else { return nil }
    let item = items[sent]
    if item.isAudio { sent += 1 } else { items.remove(at: sent) }
    if case .control = item.request.request {
      if unanswered.count == Self.mostControls { unanswered.removeFirst() }
      unanswered.append(item)
    }
    return item.request
  }

  /// Forgets a control, because the server has answered it. Returns the control.
  mutating func answered(_ controlID: UInt64) -> Anechoic_V1_Control? {
    unanswered.firstIndex { $0.request.control.controlID == controlID }
      .map { unanswered.remove(at: $0).request.control }
  }

  /// Forgets the audio that was sent and that ends at an index or before.
  mutating func confirm(upTo index: Int64) {
    let count = items[..<sent].prefix { $0.samples.upperBound <= index }.count
    items.removeFirst(count)
    sent -= count
  }

  /// Forgets the oldest audio, so that at most this many samples are kept. Audio that was not sent yet
  /// stays, unless `includingUnsent` is true. Other requests stay.
  mutating func trim(to samples: Int64, includingUnsent: Bool) {
    let first = position - samples
    guard oldestSample < first else { return }
    confirm(upTo: first)
    if includingUnsent { items.removeAll { $0.isAudio && $0.samples.upperBound <= first } }
  }

  /// Prepares the journal for another connection, whose session has the audio up to an index. Controls
  /// without an answer are sent again. No control overtakes audio from before it: the server would process
  /// that audio as unmuted.
  mutating func rewind(to index: Int64) {
    items.removeAll { $0.isAudio && $0.samples.upperBound <= index && !$0.samples.isEmpty }
    for control in unanswered.reversed() { insert(control) }
    unanswered = []
    sent = 0
  }

  private mutating func insert(_ item: Item) {
    items.insert(item, at: items.firstIndex { $0.number >= item.number } ?? items.endIndex)
  }

  /// Prepares the journal for a new session, which begins with the audio from an index on. Earlier audio
  /// and reports about the playback of the old session are dropped. If the session begins muted because this
  /// audio was captured so, it is unmuted at the index `unmuting`.
  mutating func restart(at index: Int64, unmutingAt unmuting: Int64? = nil) {
    items.removeAll { item in
      switch item.request.request {
      case .audio: item.samples.lowerBound < index
      case .playbackReport, .headPose: true
      case .start, .control, .deviceReport, nil: false
      }
    }
    rewind(to: index)
    if let unmuting {
      let request = Anechoic_V1_ProcessRequest.with { $0.control.setMute.muted = false }
      let next = items.first { $0.samples.lowerBound >= unmuting }
      insert(
        Item(request: request, number: next?.number ?? nextNumber, samples: unmuting..<unmuting))
    }
    let reports = [route].compactMap(\.self) + interruptions
    let first = items.first?.number ?? nextNumber
    items.insert(
      contentsOf: reports.map { report in
        Item(request: .with { $0.deviceReport = report }, number: first, samples: index..<index)
      }, at: 0)
  }
}

extension Anechoic_V1_AudioChunk {
  /// The number of samples of each channel, in a format.
  func sampleCount(_ format: Anechoic_V1_AudioFormat) -> Int64 {
    if format.encoding == .opus {
      return Int64(OpusPacket.sampleCount(of: samples, rate: Int(format.sampleRateHz)))
    }
    let size = max(1, Int(format.channelCount)) * (format.encoding == .pcmF32Le ? 4 : 2)
    return Int64(samples.count / size)
  }
}
