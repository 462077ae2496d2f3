import AnechoicAPI
import Foundation
import SwiftProtobuf
import Testing

@testable import VoiceClient

/// The requests for a lost session that a client sends to the new one.
struct RestartedJournalTests {
  @Test func aNewSessionBeginsWithTheAudioThatComesNext() {
    var journal = Self.journal
    journal.add(Self.audio)
    _ = journal.popNext()
    journal.add(Self.audio)
    journal.add(.with { $0.playbackReport.firstSample = 3 })
    let first = journal.position
    journal.restart(at: first)
    #expect(first == 320 && journal.popNext() == nil)
    journal.add(Self.audio)
    #expect(journal.popNext()?.audio.microphone.firstSample == 320)
  }

  @Test func controlsWithoutAnAnswerAndTheRouteAreSentAgain() {
    var journal = Self.journal
    journal.add(.with { $0.deviceReport.routeChanged = .init() })
    journal.add(.with { $0.control.controlID = 7 })
    journal.add(.with { $0.control.controlID = 8 })
    journal.add(.with { $0.deviceReport.interruption = .init() })
    while journal.popNext() != nil {}
    _ = journal.answered(7)
    journal.restart(at: journal.position)
    let sent = [journal.popNext(), journal.popNext(), journal.popNext()]
    #expect(sent[0]?.deviceReport.report == .routeChanged(.init()))
    #expect(sent[1]?.control.controlID == 8 && sent[2] == nil)
  }

  @Test func theInterruptionsThatLastAreReportedAgain() {
    var journal = Self.journal
    for (began, reason) in [
      (true, Anechoic_V1_Interruption.Reason.deviceBusy), (true, .suspended),
      (true, .hardwareMuted), (false, .suspended), (true, .deviceBusy),
    ] {
      journal.add(
        .with {
          $0.deviceReport.interruption.began = began
          $0.deviceReport.interruption.reason = reason
        })
    }
    journal.add(.with { $0.deviceReport.routeChanged = .init() })
    while journal.popNext() != nil {}
    journal.restart(at: journal.position)
    #expect(journal.popNext()?.deviceReport.report == .routeChanged(.init()))
    let reasons = [journal.popNext(), journal.popNext()].map {
      $0?.deviceReport.interruption.reason
    }
    #expect(reasons == [.hardwareMuted, .deviceBusy] && journal.popNext() == nil)
    journal.add(.with { $0.deviceReport.interruption.began = false })
    while journal.popNext() != nil {}
    journal.restart(at: journal.position)
    #expect(journal.popNext() != nil && journal.popNext() == nil)
  }

  /// A bot that was interrupted would be heard.
  @Test func aControlIsSentAgainAfterSpeechThatWasSentAhead() {
    var journal = Self.journal
    journal.add(Self.audio)
    let speech = Anechoic_V1_AudioInput.with { $0.farEnd.samples = Data(count: 3200) }
    journal.add(speech)
    journal.add(
      .with {
        $0.control.controlID = 1
        $0.control.clearPlayback_p = .init()
      })
    journal.add(speech)
    while journal.popNext() != nil {}
    journal.restart(at: journal.position)
    let sent = (0..<4).map { _ in journal.popNext() }
    #expect(sent.map { $0?.control.controlID } == [0, 1, 0, nil])
    #expect(sent.map { $0?.audio.farEnd.firstSample } == [0, 0, 1600, nil])
  }

  @Test func aControlIsSentAgainAfterTheAudioFromBeforeIt() {
    var journal = Self.journal
    for id in [UInt64(1), 2] {
      journal.add(Self.audio)
      journal.add(.with { $0.control.controlID = id })
    }
    journal.add(.with { $0.control.controlID = 3 })
    journal.add(Self.audio)
    while journal.popNext() != nil {}
    _ = journal.answered(1)
    journal.rewind(to: 0)
    var sent: [Anechoic_V1_ProcessRequest] = []
    while let request = journal.popNext() { sent.append(request) }
    #expect(sent.map(\.control.controlID) == [0, 0, 2, 3, 0])
    #expect(sent.map(\.audio.microphone.firstSample) == [0, 160, 0, 0, 320])
  }

  /// The microphone would be heard, or be missing, before its time.
  @Test(arguments: [true, false])
  func aMuteForALaterSampleIsNotWantedYet(isMuted: Bool) {
    var journal = Self.journal
    journal.add(
      .with { request in
        request.control.atSample = 320
        request.control.setMute.muted = isMuted
      })
    #expect(journal.wantedMute(at: 319) == nil)
    #expect(journal.wantedMute(at: 320) == isMuted)
  }

  @Test func audioThatWasCapturedMutedIsSentAgainBeforeTheSessionIsUnmuted() {
    var journal = Self.journal
    for _ in 0..<3 { journal.add(Self.audio) }
    while journal.popNext() != nil {}
    journal.restart(at: 0, unmutingAt: 320)
    let sent = (0..<4).map { _ in journal.popNext() }
    #expect(sent.map { $0?.audio.microphone.firstSample } == [0, 160, 0, 320])
    #expect(sent[2]?.control.setMute == .with { $0.muted = false })
  }

  @Test func aMuteThatWasNotAnsweredIsTheStateOfTheNewSession() {
    var journal = Self.journal
    #expect(journal.wantedMute(at: journal.position) == nil)
    for (id, muted) in [(UInt64(1), false), (2, true)] {
      journal.add(
        .with {
          $0.control.controlID = id
          $0.control.setMute.muted = muted
        })
      if id == 1 { _ = journal.popNext() }
    }
    #expect(journal.wantedMute(at: journal.position) == true)
    _ = journal.popNext()
    journal.restart(at: 0)
    #expect(journal.wantedMute(at: journal.position) == true)
    while journal.popNext() != nil {}
    _ = journal.answered(2)
    #expect(journal.wantedMute(at: journal.position) == false)
    _ = journal.answered(1)
    #expect(journal.wantedMute(at: journal.position) == nil)
  }

  private static var journal: RequestJournal {
    RequestJournal(
      .with {
        $0.microphone.encoding = .pcmS16Le
        $0.microphone.sampleRateHz = 16000
        $0.microphone.channelCount = 1
        $0.farEnd = $0.microphone
      })
  }

  private static var audio: Anechoic_V1_AudioInput {
    .with { $0.microphone.samples = Data(count: 320) }
  }
}
