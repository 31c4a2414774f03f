// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Testing

/// Files that hold a passphrase or a ticket.
@Suite struct SecretFileTests {
    /// OpenSSL takes no more.
    @Test func oneOfMoreThan1024BytesIsRefused() throws {
        for byteCount in [1_024, 1_025] {
            let file = MemorySource([UInt8](repeating: 0x61, count: byteCount))
            do {
                let secret = try SecretBytes(firstLineOf: file, name: "passphrase")
                #expect(secret.count == byteCount && byteCount == 1_024)
            } catch { #expect(byteCount == 1_025) }
        }
    }
}
