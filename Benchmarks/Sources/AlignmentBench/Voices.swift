internal import AudioCodecs
internal import AudioCore
internal import SpeechSynthesis

/// The speech of the two sides, spoken by eSpeak NG. It is the same in each run.
struct Voices {
  /// The far end's speech, a little over a minute.
  let far: [Float]
  let near: [Float]

  init(_ rate: SampleRate) async throws {
    far = try await Self.speak(Self.farText, "en-gb+m3", rate)
    near = try await Self.speak(Self.nearText, "en-us+f1", rate)
  }

  /// Returns speech with a peak of -6 dBFS.
  private static func speak(
    _ text: String, _ voice: String, _ rate: SampleRate
  ) async throws -> [Float] {
    let speech = try await SpeechSynthesizer.shared.speak(text, voice: voice)
    let resampler = try StreamResampler(from: speech.sampleRate, to: rate)
    let samples = resampler.process(speech.samples, isLast: true)
    let peak = samples.reduce(0) { max($0, abs($1)) }
    return samples.map { $0 * 0.5 / peak }
  }

  private static let farText = """
    Good morning. The new microphones came in today, and two of them are in the meeting room. Could \
    you tell me how I sound before the others join? I moved the loudspeaker to the window, because \
    the table shook whenever somebody put down a cup. Yesterday we lost almost an hour to a cable \
    that nobody had looked at for years. Let us go through the list once more. The first item is \
    the budget for next spring, the second is the train to Rotterdam, and the third is a question \
    from the people upstairs, who would like to know when the drilling ends. I told them Thursday, \
    but between you and me it will take until the middle of next week. Has anyone read the report \
    about the harbour? It says that ships wait nine days on average, which is twice as long as in \
    the year before. Some of the figures look wrong to me, above all those on page fourteen. We \
    should ask Miriam, she has worked with the port for a long time and knows whom to call. Then \
    there is the party for the apprentices. Last time we had too little to eat and far too much to \
    drink, so this year the kitchen wants to know the numbers early. Please write down your names, \
    and say whether you bring somebody along. And finally, the weather: heavy rain is forecast for \
    the weekend, with gusts along the coast, so close the shutters before you leave on Friday.
    """

  private static let nearText = """
    Yes, you are loud and clear. There is a fan on my desk, say if it bothers you. I can close the \
    window too if you want, it is rather noisy out there today. About the harbour, I did read it on \
    the way home, and I agree that the numbers cannot be right. Perhaps they counted the ferries as \
    well. I would not wait for an answer from the ministry, they need a month for everything. Let me \
    call Miriam in the afternoon, and then we can decide what to do with the remaining money. As for \
    the apprentices, put me down for two, and no fish, please. My sister might join us later on.
    """
}
