internal import Authentication

/// The name of a group of machines. Clients that nobody has verified share all groups.
struct RoutingKey: Hashable, Sendable {
  private let owner: String
  let group: String

  init(_ group: String, of client: Principal) {
    owner = client.isVerified ? client.name : ""
    self.group = group
  }
}

/// The place of a machine in its group, as its call knows it.
struct RoutingPlace: Sendable {
  let key: RoutingKey
  let machine: String
  let mailbox: RoutingMailbox
}
