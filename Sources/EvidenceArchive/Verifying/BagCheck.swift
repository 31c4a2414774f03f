// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams
internal import ResultCheck

/// What is found about the files of a bag, what it says about itself, and its place in the chain.
struct BagCheck {
    let archive: Archive
    let chain: BagChain
    let findings: Findings
    private let bags: BagsAhead
    /// The bags whose token was reported: one that is missing, or that the later bags do not name.
    private var toldTokens: Set<Int> = []

    init(_ archive: Archive, _ chain: BagChain, _ findings: Findings, reading bags: BagsAhead) {
        (self.archive, self.chain, self.findings, self.bags) = (archive, chain, findings, bags)
    }

    /// - Returns: what is in the bag; `nil` where it cannot be read.
    mutating func check(_ number: Int) throws(EvidenceError) -> BagContents? {
        let subject = ArchiveFinding.Subject.bag(number)
        let contents: BagContents
        do throws(EvidenceError) { contents = try bags.contents(number) } catch {
            try findings.add(error, subject, .structure)
            return nil
        }
        // Its files are what a newer version says.
        if let link = contents.link, link.isNewer {
            try findings.add(
                subject, .format, .unchecked,
                "written by a newer version (format \(link.format)): only its place in the chain is checked")
            // Nobody here knows what it says, nor who signed it: a yes would be about the other bags alone.
            findings.requireMore()
            do throws(EvidenceError) {
                if try !contents.isInfoListed() {
                    try findings.add(
                        subject, .tags, .unchecked,
                        "\(Layout.tagManifest) is missing: \(Layout.bagInfo) was not compared")
                }
            } catch { try findings.add(error, subject, .tags, StockCommands.tags) }
            let wrong = BagContents.differences(of: link, from: number, of: archive.description.origin)
            if !wrong.isEmpty { try findings.add(subject, .info, .fails, BagContents.sentence(of: wrong)) }
            try checkChain(number, .newer(link))
            return contents
        }
        if let sentence = StrayFile.sentence(of: contents.strays) {
            try findings.add(subject, .structure, .unchecked, sentence)
        }
        if contents.nameFaults.isEmpty, contents.strays.isEmpty {
            let further = contents.signatureFiles.map { files in
                files.lines.filter { $0.path != "\(Layout.signatures)/\(Layout.signature)" }.map(\.path)
            }
            let listed =
                further?.isEmpty ?? true ? "" : "; not judged: \(further?.joined(separator: ", ") ?? "")"
            try findings.add(
                subject, .structure, .holds,
                "\(counted(contents.records.count, "record")) and nothing else\(listed)")
        } else {
            try findings.add(failures: contents.nameFaults, subject, .structure)
        }
        let missingCount = try checkContent(contents, subject)
        try checkTags(contents, subject)
        try checkInfo(contents, number, missingCount: missingCount)
        return contents
    }

    /// - Returns: how many files are missing.
    private func checkContent(
        _ contents: BagContents, _ subject: ArchiveFinding.Subject
    ) throws(EvidenceError) -> Int {
        let command = StockCommands.content
        if let fault = contents.manifestFault { try findings.add(subject, .content, .fails, fault, command) }
        guard contents.data != nil else {
            try findings.add(
                subject, .content, .unchecked, "\(Layout.data) is missing: nothing was compared", command)
            return 1
        }
        let (faults, missingCount) = contents.contentFaults()
        try findings.add(failures: faults, subject, .content, StockCommands.files())
        guard contents.manifestFault == nil else { return missingCount }
        if contents.manifest == nil {
            try findings.add(
                subject, .content, .unchecked, "\(Layout.manifest) is missing: nothing was compared", command)
        } else if faults.isEmpty {
            try findings.add(
                subject, .content, .holds,
                "\(counted(Int(contents.fileCount), "file")), as listed in \(Layout.manifest)", command)
        }
        return missingCount
    }

    private func checkTags(_ contents: BagContents, _ subject: ArchiveFinding.Subject) throws(EvidenceError) {
        let command = StockCommands.tags
        do throws(EvidenceError) {
            if try contents.tagsHold() {
                try findings.add(
                    subject, .tags, .holds, "the tag files match \(Layout.tagManifest)", command)
            } else {
                try findings.add(
                    subject, .tags, .unchecked, "some tag files are missing; the others match \(Layout.tagManifest)",
                    command)
            }
        } catch { try findings.add(error, subject, .tags, command) }
    }

    private mutating func checkInfo(
        _ contents: BagContents, _ number: Int, missingCount: Int
    ) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        let command = StockCommands.info
        guard let info = contents.info else {
            if let fault = contents.infoFault { return try findings.add(subject, .info, .fails, fault, command) }
            return try findings.add(
                subject, .info, .unchecked,
                "\(Layout.bagInfo) is missing: number, origin, size and chain were not checked", command)
        }
        let wrong = contents.differences(
            of: info, from: number, of: archive.description.origin, missingCount: missingCount)
        if !wrong.isEmpty {
            try findings.add(subject, .info, .fails, BagContents.sentence(of: wrong), command)
        } else if missingCount > 0 {
            try findings.add(
                subject, .info, .unchecked,
                "\(Layout.bagInfo) gives its number and origin; its size was not compared, because files are missing",
                command)
        } else {
            try findings.add(
                subject, .info, .holds, "\(Layout.bagInfo) gives its number, origin and size", command)
        }
        try checkChain(number, .info(info))
        try checkAnchor(number, info)
    }

    private mutating func checkChain(_ number: Int, _ reading: BagInfo.Reading) throws(EvidenceError) {
        let subject = ArchiveFinding.Subject.bag(number)
        // Its place was found wrong already.
        guard reading.link.number == number else { return }
        let command = StockCommands.chain(number, reading)
        do throws(EvidenceError) {
            switch try chain.link(number, reading) {
            case .holds: break
            case .missing(let bag):
                return try findings.add(
                    subject, .chain, .unchecked, "bag \(bag), which it names, is missing or incomplete", command)
            case .tokenMissing(let token, let isBagWhole):
                let isTold = !isBagWhole || !toldTokens.insert(token).inserted
                let path = "../\(Layout.bag(token))/\(Layout.signatures)/\(Layout.token)"
                return try findings.add(
                    subject, .chain, isTold ? .unchecked : .fails,
                    "\(path), the time stamp that it names, is missing: restore it from a backup", command)
            case .tokenPassedOver(let token):
                let (sentence, step) = BagDamage.token(ofBag: token, passedOverBy: number)
                return try findings.add(
                    subject, .chain, toldTokens.insert(token).inserted ? .fails : .unchecked, "\(sentence): \(step)",
                    command)
            }
            let what = number > 1 ? "bag \(number - 1)" : Layout.description
            let skip = reading.link.skip.map { ", bag \($0.bag)" } ?? ""
            var time = ""
            if case .info(let info) = reading, let token = info.token {
                time = token.bag == number - 1 ? " and its time stamp" : ", and the time stamp of bag \(token.bag)"
            }
            try findings.add(subject, .chain, .holds, "it names \(what)\(skip)\(time)", command)
        } catch { try findings.add(error, subject, .chain, command) }
    }

    /// The signature files of the bag before are those that it names.
    private func checkAnchor(_ number: Int, _ info: BagInfo) throws(EvidenceError) {
        guard number > 1, info.number == number, let named = info.previousSignatures else { return }
        let (subject, command) = (ArchiveFinding.Subject.bag(number), StockCommands.anchor(number))
        guard try !chain.facts(number - 1).isNewer else {
            return try findings.add(
                subject, .anchor, .unchecked, "bag \(number - 1) was written by a newer version", command)
        }
        switch try chain.signatureFiles(ofBag: number - 1) {
        case nil:
            try findings.add(
                subject, .anchor, .unchecked, "the signature of bag \(number - 1), which it names, is missing", command)
        // That is told of that bag.
        case .failure(let error)?:
            try findings.add(
                subject, .anchor, .unchecked, "the signature files of bag \(number - 1) cannot be compared: \(error)",
                command)
        case .success(let found)?:
            if found == named {
                try findings.add(
                    subject, .anchor, .holds, "it names the signature files of bag \(number - 1)", command)
            } else {
                let files = try archive.signatureFiles(ofBag: number - 1)
                try findings.add(
                    subject, .anchor, .fails,
                    "the signature files of bag \(number - 1) are not those that it names: "
                        + files.difference(from: named), command)
            }
        }
    }
}
