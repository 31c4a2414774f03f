// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorResults
import VendorServer
import VendorTypes

extension FuzzTarget {
    /// Answers of the vendor's server, launch bundles, hosts and return URLs: one body is the answer to one call at
    /// most, a pass names its order and another order's is none, and what was read is written again alike.
    static let vendor = FuzzTarget(name: "vendor") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        try checkAnswers(bytes)
        if let bundle = try? LaunchBundle(reading: MemorySource(bytes)) {
            try hold(
                (try? LaunchBundle(reading: MemorySource(bundle.json))) == bundle, "a bundle is read again as it was")
        }
        if let host = try? VendorHost(text) {
            try hold(
                text.utf8.allSatisfy { !"/?#@\\% ".utf8.contains($0) && (0x21...0x7E).contains($0) },
                "a host is nothing but a host")
            try hold((try? VendorHost(host.authority)) == host, "a host is read again as it was")
        }
        if let url = try? ReturnURL(text) { try hold(url.value.utf8.elementsEqual(bytes), "a URL is as it was given") }
    }

    private static func checkAnswers(_ bytes: [UInt8]) throws {
        guard let order = try? OrderNumber("ORD20260701000001"), let other = try? OrderNumber("another"),
            let appId = try? AppId("TIDA0001"), let user = try? UserId("U1")
        else { throw Broken("the fixed values are right") }
        let attempt = FaceAttempt(appId: appId, userId: user, orderNo: order)
        let now = ContinuousClock.now
        var accepted: [String] = []
        var isPrintable = true
        func note<Value>(_ name: String, _ answer: () throws -> VendorAnswer<Value>) {
            switch try? answer() {
            case .accepted?: accepted.append(name)
            case .refused(let refusal)?:
                let says = refusal.description.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 }
                if !says { isPrintable = false }
            case nil: break
            }
        }
        let secret = try AppSecret(SecretBytes(copying: [0x61].span))
        let token = try AccessToken(SecretBytes(copying: [0x61].span), issued: now)
        let ticket = try Ticket(.sign, SecretBytes(copying: [0x61].span))
        let identity = try ClaimedIdentity(name: "n", idNo: "1")
        note("token") { try AccessTokenCall(appId: appId, secret: secret).read(MemorySource(bytes), sent: now) }
        note("ticket") { try TicketCall.sign(appId: appId, token: token).read(MemorySource(bytes), sent: now) }
        for product in [FaceProduct.plus, .h5] {
            note(product.rawValue) {
                let call = try FaceIdCall(product, for: attempt, identity: identity, signedWith: ticket)
                let answer = try call.read(MemorySource(bytes), sent: now)
                if case .accepted(let faceId) = answer {
                    try hold((1...32).contains(faceId.value.utf8.count), "a face id has its form")
                }
                return answer
            }
        }
        note("photos") { try PhotoRecord.read(MemorySource(bytes), expecting: order) }
        let records: [(String, (OrderNumber) throws -> VerificationRecord)] = [
            ("record", { try FaceRecord(reading: MemorySource(bytes), expecting: $0, of: appId).verification }),
            ("sync", { try SyncRecord(reading: MemorySource(bytes), expecting: $0, of: appId).verification }),
            (
                "comparison",
                { try PhotoComparison(reading: MemorySource(bytes), expecting: $0, of: appId).verification }
            ),
            ("will", { try IntentRecord(reading: MemorySource(bytes), expecting: $0, of: appId).verification }),
        ]
        for (name, read) in records {
            guard let record = try? read(order) else { continue }
            try hold(record.isPassed == (record.refusal == nil), "what is no pass has a reason")
            if case .passed(let scores) = record.outcome {
                try hold((scores.liveRate.value == nil) == (name == "comparison"), "only a scan shows life")
                accepted.append(name)
                try hold((try? read(other)) == nil, "a pass is that of one order")
                let loose = try FaceRecordAnswer(reading: MemorySource(bytes))
                try hold(loose.isPass(of: order), "a pass is one to every reader")
            }
        }
        try hold(accepted.count <= 1, "one body answers one call: \(accepted)")
        try hold(isPrintable, "a refusal is in our words")
    }
}
