import AudioCore
import Testing

@Suite struct SharedTablesTests {
  private static func table(_ value: Float) -> FloatTable {
    FloatTable(1) { $0[0] = value }
  }

  @Test func usersOfASizeShareItsTable() {
    let tables = SharedTables()
    let first = tables.table(1) { Self.table(1) }
    let same = tables.table(1) { Self.table(2) }
    let other = tables.table(2) { Self.table(3) }
    withExtendedLifetime((first, same, other)) {
      #expect(first === same)
      #expect(first.start[0] == 1)
      #expect(other.start[0] == 3)
    }
  }

  @Test func aTableWithoutUsersIsFreed() {
    let tables = SharedTables()
    weak var forgotten: FloatTable?
    do {
      let table = tables.table(1) { Self.table(1) }
      forgotten = table
      withExtendedLifetime(table) { #expect(forgotten != nil) }
    }
    #expect(forgotten == nil)
    let next = tables.table(1) { Self.table(2) }
    withExtendedLifetime(next) { #expect(next.start[0] == 2) }
  }
}
