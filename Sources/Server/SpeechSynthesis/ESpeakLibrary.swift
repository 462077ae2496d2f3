internal import CESpeak
internal import Glibc

/// The eSpeak NG library, from loading to unloading.
///
/// The library keeps state between texts, such as the phase of a voice's flutter, and has no
/// function that resets it. A newly loaded library speaks the same text in the same way. At most
/// one instance exists at a time.
struct ESpeakLibrary: ~Copyable {
  private static let name = "libespeak-ng.so.1"

  /// The sample rate in Hz.
  let sampleRate: Int
  private let handle: UnsafeMutableRawPointer
  private let functions: cespeak_functions

  init() throws(SpeechError) {
    (handle, functions, sampleRate) = try Self.load()
    // Breath is noise from the C library's generator. The result repeats if nothing else uses the
    // generator meanwhile.
    srand(1)
  }

  deinit {
    _ = functions.terminate()
    dlclose(handle)
  }

  private static func load() throws(SpeechError) -> (
    UnsafeMutableRawPointer, cespeak_functions, rate: Int
  ) {
    // Keeps this dependency of eSpeak NG loaded, which makes loading eSpeak NG about 3 ms faster.
    _ = dlopen("libpcaudio.so.0", RTLD_NOW | RTLD_NODELETE)
    guard let handle = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else { throw .unavailable }
    let functions = UnsafeMutablePointer<cespeak_functions>.allocate(capacity: 1)
    defer { functions.deallocate() }
    guard cespeak_find(handle, functions) else {
      dlclose(handle)
      throw .unavailable
    }
    // Without this flag the library ends the process if it finds no data.
    let rate = functions.pointee.initialize(
      AUDIO_OUTPUT_SYNCHRONOUS, 0, nil, Int32(espeakINITIALIZE_DONT_EXIT))
    guard rate > 0 else {
      // A library that did not start has no thread yet, but its function to terminate would join one.
      dlclose(handle)
      throw .unavailable
    }
    return (handle, functions.pointee, Int(rate))
  }

  /// Returns the installed voices, or only those of a language. Leaks 2 kB in the library.
  borrowing func voices(of language: String? = nil) -> [InstalledVoice] {
    guard let language else { return copy(functions.list_voices(nil)) }
    return language.withCString { language in
      var criteria = espeak_VOICE()
      criteria.languages = language
      return copy(functions.list_voices(&criteria))
    }
  }

  private borrowing func copy(
    _ list: UnsafeMutablePointer<UnsafePointer<espeak_VOICE>?>?
  ) -> [InstalledVoice] {
    var voices: [InstalledVoice] = []
    var next = list
    while let voice = next?.pointee {
      voices.append(InstalledVoice(voice.pointee))
      next = next?.advanced(by: 1)
    }
    return voices
  }

  /// Speaks with the voice in a file. Calls `take` with each piece of audio. `take` returns whether
  /// to continue. Returns false if the library cannot speak the text.
  borrowing func speak(
    _ text: SpokenText, voiceFile: String, take: (UnsafeBufferPointer<Int16>) -> Bool
  ) -> Bool {
    // The function with "file" in its name finds no voice in Debian's version. If the path contains
    // capitals, this call reads all voices, which takes 3 ms and leaks 2 kB in the library.
    guard functions.set_voice_by_name(voiceFile) == EE_OK else { return false }
    functions.set_synth_callback { samples, count, events in
      guard let taker = events?.pointee.user_data?.assumingMemoryBound(to: Taker.self) else {
        return 1
      }
      let samples = UnsafeBufferPointer(start: samples, count: samples == nil ? 0 : Int(count))
      return taker.pointee.take(samples) ? 0 : 1
    }
    return withoutActuallyEscaping(take) { take in
      var taker = Taker(take: take)
      return withUnsafeMutablePointer(to: &taker) { taker in
        text.text.withCString { characters in
          // Neither SSML nor phonemes in brackets are interpreted. They are read aloud.
          functions.synth(
            characters, text.text.utf8.count + 1, 0, POS_CHARACTER, 0, UInt32(espeakCHARS_UTF8),
            nil, taker) == EE_OK
        }
      }
    }
  }

  private struct Taker {
    let take: (UnsafeBufferPointer<Int16>) -> Bool
  }
}
