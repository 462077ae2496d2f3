internal import CALSA
internal import Glibc

/// A jack of a control, as `ALSASystem.jacks` lists it.
public struct JackDescription: Sendable, Equatable {
  public var control: String
  public var jack: JackName
  public var isPlugged: Bool
}

extension ALSASystem {
  /// Returns the jacks of the cards and of other controls by their names. Controls that cannot be
  /// opened are left out. The controls that ALSA's configuration shows are not looked at, because
  /// Debian's `arcam_av` ends the process when it is opened without its device.
  public func jacks(of others: [String] = []) -> [JackDescription] {
    (cards() + others).flatMap { name -> [JackDescription] in
      guard let control = try? openControl(name), let jacks = try? control.jacks() else {
        return []
      }
      return jacks.compactMap { jack in
        guard let isPlugged = try? control.isPlugged(jack) else { return nil }
        return JackDescription(control: name, jack: jack, isPlugged: isPlugged)
      }
    }
  }

  /// Returns the controls of the cards by the cards' ids.
  private func cards() -> [String] {
    var names: [String] = []
    var card: Int32 = -1
    while snd_card_next(&card) >= 0, card >= 0 {
      names.append("hw:CARD=\(cardID(card) ?? "\(card)")")
    }
    return names
  }

  private func cardID(_ card: Int32) -> String? {
    var (handle, information): (OpaquePointer?, OpaquePointer?)
    guard snd_ctl_open(&handle, "hw:\(card)", 0) >= 0, let handle else { return nil }
    defer { snd_ctl_close(handle) }
    guard snd_ctl_card_info_malloc(&information) >= 0, let information else { return nil }
    defer { snd_ctl_card_info_free(information) }
    guard snd_ctl_card_info(handle, information) >= 0 else { return nil }
    return snd_ctl_card_info_get_id(information).map { String(cString: $0) }
  }
}
