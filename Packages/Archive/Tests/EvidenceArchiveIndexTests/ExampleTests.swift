// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceArchiveIndex
import EvidenceKit
import Foundation
import Testing

/// The snippet of `docs/ARCHIVE-INDEX.md`; a test of the documentation compares them.
@Suite struct ExampleTests {
    @Test func aRecordIsFound() throws {
        let shelf = try Shelf()
        let record = try shelf.append("ord1", second: 1)
        let (archive, archiveKey, path) = (shelf.archive, shelf.key, shelf.index)

        // snippet
        _ = try ArchiveIndex.build(at: path, of: archive, openedBy: archiveKey)  // then update(at:of:openedBy:)
        let index = try ArchiveIndex(path: path, of: archive, openedBy: archiveKey)
        var query = ArchiveQuery()
        query.order = try OrderNumber("ord1")
        let found = try index.find(query).records.map(\.record)
        // end of snippet

        #expect(found == [record])
    }
}
