import Testing
import VoiceEdge

struct EndpointTests {
  @Test func aPlaceIsWhatItsFirstWordSays() {
    #expect(Endpoint("alsa:plughw:CARD=Desk,DEV=0") == .alsa("plughw:CARD=Desk,DEV=0"))
    #expect(Endpoint("fifo:/run/a b:c") == .fifo(path: "/run/a b:c"))
    #expect(Endpoint("file:voice.wav") == .file(path: "voice.wav"))
  }

  @Test(arguments: [
    "", "alsa", "alsa:", "fifo:", "file:", ":x", "pipe:x", "ALSA:x", "/tmp/x", " file:x",
  ])
  func anInvalidEndpointIsRefused(text: String) {
    #expect(Endpoint(text) == nil)
  }

  @Test(arguments: ["alsa:hw:0", "fifo:/a", "file:/b"])
  func theDescriptionIsTheText(text: String) {
    #expect(Endpoint(text)?.description == text)
  }
}
