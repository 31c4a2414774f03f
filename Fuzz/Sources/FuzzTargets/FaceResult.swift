// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorDocuments
import VendorResults

extension FuzzTarget {
    /// Results and answers of the vendor's server: pieces make no difference, what is read strictly is read
    /// tolerantly alike, and what is written is read again.
    static let result = FuzzTarget(name: "result") { bytes in
        try agree(bytes, UnverifiedFaceVerifyResult.init(reading:_:))
        try agree(bytes, FaceRecordAnswer.init(reading:_:))
        try agree(bytes, FaceDocument.init(reading:_:))
        try checkReports(bytes)
        if let document = try? FaceDocument(reading: MemorySource(bytes)) {
            try hold(document.byteCount == bytes.count, "the document is counted")
            let sum = document.fields.reduce(0) { $0 + $1.byteCount }
            try hold(sum <= document.byteCount, "fields do not overlap")
            if let order = try? OrderNumber(document.orderNo?.value == "x" ? "y" : "x") {
                try hold(!document.saysPassed(of: order), "a pass names its order")
            }
        }
        if let answer = try? FaceRecordAnswer(reading: MemorySource(bytes)) {
            _ = answer.meanings
            if let order = answer.orderNo, let other = try? OrderNumber(order.value == "x" ? "y" : "x") {
                try hold(!answer.isPass(of: order) || answer.isVerification, "only a verification is a pass")
                try hold(!answer.isPass(of: other), "another order is no pass")
            }
            for text in [answer.photo, answer.video].compactMap({ $0 }) + answer.photoList {
                try check(text, in: bytes)
            }
        }
        if let unverified = try? UnverifiedFaceVerifyResult(reading: MemorySource(bytes)) {
            try checkWriting(unverified.withoutCheckingSign, from: bytes)
            try checkTrust(unverified)
        }
    }

    /// A check finds the same however its bytes come, and whatever it is allowed to repair: what holds without a repair
    /// holds with all of them, and every member of a result that holds was read by both readers.
    private static func checkReports(_ bytes: [UInt8]) throws {
        guard let order = try? OrderNumber("ord1"), let now = UTCTime("2026-11-21T08:30:00.000Z") else { return }
        var checker = ResultChecker(expecting: order, at: now)
        let strict = try checker.check(MemorySource(bytes)).reportForKeyHolder
        checker.repairs = Set(DocumentRepair.Code.harmless)
        let report = try checker.check(MemorySource(bytes)).reportForKeyHolder
        let receiver = try checker.receiver()
        for start in stride(from: 0, to: bytes.count, by: 7) {
            try receiver.append(bytes.span.extracting(start..<min(start + 7, bytes.count)))
        }
        let pushed = try receiver.finish().reportForKeyHolder
        // What a document is called that is none depends on how much of it was seen; that is only in hints.
        func withoutHints(_ report: EvidenceReport) -> String {
            report.json.replacing(#/"hint":(?:null|"(?:[^"\\]|\\.)*")/#, with: "")
        }
        try hold(withoutHints(pushed) == withoutHints(report), "pieces make no difference to a report")
        guard report[.result]?.state == .holds else {
            try hold(strict[.result]?.state != .holds, "what holds as it is holds with repairs")
            return
        }
        try hold(report.document?.byteCount == UInt64(bytes.count), "a result that holds was read to its end")
        if strict[.result]?.state == .holds, report.repairs.isEmpty {
            try hold(strict.json == report.json, "repairs change nothing where there is nothing to repair")
        } else {
            try hold(!report.repairs.isEmpty, "what holds by repairs alone names them")
        }
        try hold(report.verdict != .holds, "without a ticket and a key nothing is yes")
    }

    private static func agree<Meaning: Equatable>(
        _ bytes: [UInt8], _ read: (any ByteSource, Tolerance) throws(EvidenceError) -> Meaning
    ) throws {
        let tolerant = outcome { try read(MemorySource(bytes), .tolerant) }
        let pipe = outcome { try read(PipeSource(bytes), .tolerant) }
        try hold(tolerant.value == pipe.value && tolerant.complaint == pipe.complaint, "pieces make no difference")
        let strict: Meaning
        do throws(EvidenceError) { strict = try read(MemorySource(bytes), .strict) } catch {
            if let offset = error.offset { try hold(offset <= bytes.count, "a fault is inside the document") }
            return
        }
        try hold(strict == tolerant.value, "what is as documented is read alike")
    }

    /// What a long field says is the same in either of the ways to it.
    private static func check(_ text: FieldText, in bytes: [UInt8]) throws {
        let source = MemorySource(bytes)
        var characters: [UInt8] = []
        try text.forEachRun(in: source) { run in for i in run.indices { characters.append(run[i]) } }
        try hold(characters.count == text.byteCount, "the characters are counted")
        let decoded = MemoryDestination()
        let count = outcome { try text.decodeBase64(from: source, into: decoded) }
        try hold(count.value ?? 0 == decoded.bytes.count, "the bytes are counted, and none come of a failure")
        let image = try everyWay(bytes) { source, destination in
            // A pipe cannot be asked twice.
            try UserImage.decode(text, from: source.isSeekable ? source : MemorySource(bytes), into: destination)
        }
        if let image = image.value { try hold(image.bytes == decoded.bytes, "an image is what its base64 says") }
        let video = try everyWay(bytes) { source, destination in
            try UserVideo.decode(text, from: source.isSeekable ? source : MemorySource(bytes), into: destination)
        }
        if let video = video.value { try hold(video.bytes == decoded.bytes, "a video is what its base64 says") }
    }

    private static func checkWriting(_ result: WBFaceVerifyResult, from bytes: [UInt8]) throws {
        let source = MemorySource(bytes)
        if let image = result.userImageString { try check(image, in: bytes) }
        let written = MemoryDestination()
        try result.write(from: source, into: written)
        // A pass whose willingness failed stays what it is: the one thing that is written and not as documented.
        let isContradiction = result.isSuccess && result.willModeResult?.hasFailed == true
        let again = try UnverifiedFaceVerifyResult(
            reading: MemorySource(written.bytes), isContradiction ? .tolerant : .strict)
        try hold(again.repairs.isEmpty != isContradiction, "nothing is to be repaired in what was written")
        let twice = MemoryDestination()
        try again.withoutCheckingSign.write(from: MemorySource(written.bytes), into: twice)
        try hold(twice.bytes == written.bytes, "what was written is read again, with nothing to repair")
    }

    /// Success cannot be had without a sign.
    private static func checkTrust(_ unverified: UnverifiedFaceVerifyResult) throws {
        guard let order = unverified.claimedOrderNo ?? (try? OrderNumber("ord1")) else { return }
        let refused = outcome { try unverified.verified(for: order) { _ in false } }
        try hold(refused.value?.isSuccess != true, "no sign, no success")
        let signed = outcome { try unverified.verified(for: order) { _ in true } }
        try hold(
            signed.value.map { !$0.isSuccess || $0.willModeResult?.hasFailed != true } ?? true,
            "a willingness that failed is no success")
    }
}
