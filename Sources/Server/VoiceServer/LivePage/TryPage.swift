internal import GRPCTransport
public import Operations

/// The page `/try`, on which people speak into the microphone of a browser and hear themselves before
/// and after. The page is a client of `ProcessDoor`.
///
/// | path | answer |
/// |---|---|
/// | /try, /try/… | the files of the page |
/// | /try/bot.wav | the voice of the bot that talks on the page |
public struct TryPage: Sendable {
  private static let voicePath = "/try/bot.wav"

  private let refusal: String?
  private let voice = BotVoice()

  /// Creates the page. `refusal` is the reason why the page is switched off, or nil.
  public init(_ refusal: String? = nil) { self.refusal = refusal }

  /// Returns the answer to a request, or nil if the path is not one of the page.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer? {
    if let file = PageFiles.trying.answer(request, refusal) { return .complete(file) }
    guard request.path == Self.voicePath else { return nil }
    if let refusal = PageFiles.refusal(request, refusal) { return .complete(refusal) }
    return .made(on: BackgroundExecutor.shared) { [voice] exchange in
      exchange.respond(await voice.response())
    }
  }
}
