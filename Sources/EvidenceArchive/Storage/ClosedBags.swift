// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

extension Archive {
    /// Whether a bag has a token.
    func hasToken(_ number: Int) throws(EvidenceError) -> Bool {
        try bag(number).existingFolder(Layout.signatures)?.kind(of: Layout.token) == .file
    }

    /// Refuses an archive of which a newer version wrote a bag: one file of each is read.
    ///
    /// - Throws: ``EvidenceError``: `.newerFormat`, or `.cannotRead`.
    func requireThisFormat() throws(EvidenceError) {
        guard let bags = try folder.existingFolder(Layout.bags) else { return }
        let newer = try concurrentMap(bagNumbers().numbers) { number throws(EvidenceError) -> EvidenceError? in
            do throws(EvidenceError) {
                let bag = try bags.folder(Layout.bag(number))
                try BagInfo.requireThisFormat(bag.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes))
            } catch {
                if error.code.isSystem { throw error }
                // Other faults of it are reported where they matter.
                return error.code == .newerFormat ? error : nil
            }
            return nil
        }
        if let error = newer.lazy.compactMap(\.self).first {
            throw error.hinting("nothing was changed: use the newer version")
        }
    }
}
