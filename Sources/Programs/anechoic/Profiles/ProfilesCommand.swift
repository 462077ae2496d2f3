internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SpatialAudio
internal import SwiftProtobuf
internal import VoiceClient

/// The profiles for spatial audio that a client keeps on a server.
struct ProfilesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles",
    abstract: "Upload, list and delete your profiles for spatial audio.",
    discussion: """
      A profile is a SOFA file with the head-related impulse responses of one person. Only sessions of \
      the client that uploaded it can use it:
        anechoic profiles upload mine own-ears.sofa
        anechoic profiles list
        anechoic sessions set call-1 spatial_audio.listener_profile=mine
        anechoic profiles delete mine
      """,
    subcommands: [UploadProfile.self, ListProfiles.self, DeleteProfile.self])
}

/// The id of a profile, as an argument.
struct ProfileID: ExpressibleByArgument, CustomStringConvertible {
  let description: String

  init?(argument: String) {
    guard Identifier.isValid(argument) else { return nil }
    description = argument
  }
}

struct UploadProfile: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload",
    abstract: "Upload a SOFA file as a profile. A profile with the same id is replaced.")

  @Argument(help: "The id of the profile: 1 to 63 letters, digits, hyphens, underscores and dots.")
  var id: ProfileID

  @Argument(help: "The SOFA file, of at most 32 MiB.")
  var file: String

  @OptionGroup var options: ControlOptions

  func run() async throws {
    let sofa = try ShortFile.read(file, title: file, atMost: ProfileReader.largestFile)
    try await options.withProfiles { client in
      let profile = try await client.upload(sofa, as: id.description)
      try LineFile("-").show(options.json ? profile.jsonLine() : profile.line)
    }
  }
}

struct ListProfiles: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your profiles, one per line.")

  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await options.withProfiles { client in
      let profiles = try await client.list()
      let output = try LineFile("-")
      for profile in profiles {
        try output.show(options.json ? profile.jsonLine() : profile.line)
      }
      if profiles.isEmpty { standardError("there is no profile\n") }
    }
  }
}

struct DeleteProfile: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a profile.")

  @Argument(help: "The id of the profile.")
  var id: ProfileID

  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await options.withProfiles { client in
      try await client.delete(id.description)
      let answer = Anechoic_V1_DeleteProfileResponse()
      try LineFile("-").show(options.json ? answer.jsonLine() : "deleted \(id)")
    }
  }
}

extension Anechoic_V1_SpatialProfile {
  /// The profile in one line.
  fileprivate var line: String {
    "\(profileID)  \(directions) directions  \(responseSamples) samples  "
      + "since \(Words.date(createTime))"
  }
}
