import Testing

@testable import VoiceSessions

struct InjectionPermissionTests {
  @Test func aClientIsUndeterminedUntilThePersonDecides() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    #expect(permissions["bot"] == .undetermined)
    let isAsked = try permissions.request("bot")
    #expect(isAsked && permissions["bot"] == .undetermined)
    let isChanged = try permissions.decide("bot", grant: true)
    #expect(isChanged && permissions["bot"] == .granted)
    #expect(permissions["another"] == .undetermined)
  }

  @Test func thePersonIsAskedOnceForEachClient() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    _ = try permissions.request("bot")
    for grant in [true, false] {
      let isAskedAgain = try permissions.request("bot")
      #expect(!isAskedAgain)
      _ = try permissions.decide("bot", grant: grant)
    }
    let isAskedAgain = try permissions.request("bot")
    #expect(!isAskedAgain && permissions["bot"] == .denied)
  }

  @Test func aDecisionMayBeChangedAndIsAChangeOnlyThen() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    _ = try permissions.request("bot")
    for (grant, isNew) in [(false, true), (false, false), (true, true), (true, false)] {
      let isChanged = try permissions.decide("bot", grant: grant)
      #expect(isChanged == isNew)
      #expect(permissions["bot"] == (grant ? .granted : .denied))
    }
  }

  /// So a stored permission can be withdrawn before it is used.
  @Test func aDecisionMayComeBeforeTheRequest() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    let isChanged = try permissions.decide("bot", grant: false)
    let isAsked = try permissions.request("bot", stored: true)
    #expect(isChanged && !isAsked && permissions["bot"] == .denied)
  }

  @Test func aStoredDecisionAnswersARequestThatWaits() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    #expect(!permissions.followsStore("bot"))
    _ = try permissions.request("bot")
    #expect(permissions.followsStore("bot"))
    let isDecided = try permissions.request("bot", stored: true)
    #expect(isDecided && permissions["bot"] == .granted)
    let isDecidedAgain = try permissions.request("bot", stored: true)
    #expect(!isDecidedAgain)
  }

  @Test func aDecisionOfTheStoreFollowsItAndOneOfTheSessionStays() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    for stored in [true, false] {
      let isChanged = try permissions.request("bot", stored: stored)
      #expect(isChanged && permissions["bot"] == (stored ? .granted : .denied))
    }
    _ = try permissions.request("bot", stored: true)
    // The person confirms it in this session.
    let isNew = try permissions.decide("bot", grant: true)
    #expect(!isNew && !permissions.followsStore("bot"))
    let isChanged = try permissions.request("bot", stored: false)
    #expect(!isChanged && permissions["bot"] == .granted)
  }

  @Test func aStoredDecisionIsFollowedWhileTheServiceIsSwitchedOff() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    _ = try permissions.request("bot", stored: true)
    permissions.isServiceEnabled = false
    _ = try permissions.request("bot", stored: false)
    let isNew = try permissions.request("new", stored: true)
    #expect(!isNew && permissions["bot"] == .serviceDisabled)
    permissions.isServiceEnabled = true
    #expect(permissions["bot"] == .denied && permissions["new"] == .undetermined)
    #expect(permissions.popDecidedMeanwhile() == ["bot"])
  }

  @Test func theServersSwitchGoesBeforeEverything() throws {
    var permissions = InjectionPermissions(isServiceEnabled: false)
    let isAsked = try permissions.request("bot")
    #expect(!isAsked && permissions["bot"] == .serviceDisabled)
    _ = try permissions.decide("bot", grant: true)
    #expect(permissions["bot"] == .serviceDisabled)
    permissions.isServiceEnabled = true
    #expect(permissions["bot"] == .granted)
  }

  @Test func tooManyClientsAreRefused() throws {
    var permissions = InjectionPermissions(isServiceEnabled: true)
    for client in 0..<InjectionPermissions.mostClients { _ = try permissions.request("\(client)") }
    let refusal = #expect(throws: Refusal.self) { try permissions.request("more") }
    #expect(refusal?.kind == .tooMany)
    #expect(throws: Refusal.self) { try permissions.decide("more", grant: true) }
    let isAskedAgain = try permissions.request("0")
    #expect(!isAskedAgain)
  }
}
