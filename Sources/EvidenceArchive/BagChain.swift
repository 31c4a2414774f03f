// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams

/// Whether a bag names the one before it and the newest time stamp before it: a verification and an export compare
/// by the same rules.
struct BagChain {
    enum Link {
        case holds
        /// What the bag follows is not there to be compared.
        case previousMissing
        /// The time stamp that it names is not there; whether the rest of that bag's signatures is.
        case tokenMissing(bag: Int, isBagWhole: Bool)
    }

    private let archive: Archive

    init(_ archive: Archive) { self.archive = archive }

    /// - Throws: ``EvidenceError``: `.bag` where it names something else.
    func link(_ number: Int, _ info: BagInfo) throws(EvidenceError) -> Link {
        guard let previous = try previousDigest(number) else { return .previousMissing }
        guard previous == info.previous else {
            throw EvidenceError(
                .bag,
                "the SHA-256 that the bag names is not that of "
                    + (number > 1 ? "bag \(number - 1)" : Layout.description))
        }
        guard let token = info.token else { return .holds }
        let signatures = try archive.existingBag(token.bag)?.existingFolder(Layout.signatures)
        guard let signatures, try signatures.kind(of: Layout.token) == .file else {
            return .tokenMissing(bag: token.bag, isBagWhole: signatures != nil)
        }
        guard try signatures.digest(of: Layout.token).sha256 == token.sha256 else {
            throw EvidenceError(.bag, "the time stamp that the bag names is not the one of bag \(token.bag)")
        }
        return .holds
    }

    /// Refuses a bag that does not follow the one before it.
    func require(_ info: BagInfo) throws(EvidenceError) {
        do throws(EvidenceError) {
            guard case .holds = try link(info.number, info) else {
                throw EvidenceError(.bag, "the bag or the time stamp that it names is missing")
            }
        } catch {
            if error.code.isSystem { throw error }
            throw EvidenceError(.bag, "bag \(info.number) is not in its place in the chain: \(error)")
        }
    }

    /// What the bag must name; `nil` where that is missing, which is told elsewhere.
    private func previousDigest(_ number: Int) throws(EvidenceError) -> String? {
        guard number > 1 else { return try archive.folder.digest(of: Layout.description).sha256 }
        guard let bag = try archive.existingBag(number - 1), try bag.kind(of: Layout.tagManifest) == .file else {
            return nil
        }
        return try bag.digest(of: Layout.tagManifest).sha256
    }
}
