// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

extension Archive {
    /// Whether a bag has a token that holds, by the authorities whose certificates lead to one of some.
    func hasTokenThatHolds(_ number: Int, _ authorities: Certificates) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) {
            guard let reply = try token(ofBag: number) else { return false }
            let (signature, time) = (try signature(ofBag: number), try reply.claim().time)
            let tags = try bag(number).contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes)
            guard case .holds = try signature.judged(over: tags.span, trusting: nil, at: nil),
                case .holds = try reply.judged(about: signature.der.span, trusting: authorities, at: time.seconds)
            else { return false }
            return true
        } catch {
            if error.code.isSystem { throw error }
            return false
        }
    }

    /// Refuses an archive of which a newer version wrote a bag: one file of each is read.
    ///
    /// - Throws: ``EvidenceError``: `.newerFormat`, or `.cannotRead`.
    func requireThisFormat() throws(EvidenceError) {
        guard let bags = try folder.existingFolder(Layout.bags) else { return }
        let newer = try concurrentMap(listedBags().numbers) { number throws(EvidenceError) -> EvidenceError? in
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

    /// Refuses an `archive.txt` that is not the one which the first bag names: each key is wrapped for that one, and
    /// would never open. Where that bag cannot be read, that is reported where it matters.
    ///
    /// - Throws: ``EvidenceError``: `.notAnArchive` or `.cannotRead`.
    func requireDescription() throws(EvidenceError) {
        guard let bag = try existingBag(1) else { return }
        do throws(EvidenceError) {
            let info = try bag.contents(of: Layout.bagInfo, limit: Limits.bagInfoBytes)
            try Manifest.require(
                info, of: Layout.bagInfo, listedIn: bag.contents(of: Layout.tagManifest, limit: Limits.bagInfoBytes))
            if try BagInfo.reading(info).link.previous == id { return }
        } catch {
            if error.code.isSystem { throw error }
            return
        }
        throw EvidenceError(
            .notAnArchive, "\(Layout.description) is not the one that \(Layout.bags)/\(Layout.bag(1)) names",
            hint: "nothing was changed: restore \(Layout.description) from a backup")
    }
}
