// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload

extension FuzzTarget {
    /// Profile files: what is read can be written and read again, and seals what it then opens.
    static let profile = FuzzTarget(name: "profile") { bytes in
        guard let document = try? ProfileDocument(json: bytes) else { return }
        try hold(try ProfileDocument(json: Array(document.json.utf8)) == document, "a document comes back")
        guard let profile = try? document.profile() else { return }
        try hold(try Profile(json: Array(profile.json.utf8)) == profile, "a profile comes back")
        let own = Profile.preset(named: profile.name).flatMap { $0.name.hasPrefix("evidence-") ? $0 : nil }
        try hold(own.map(profile.sealsLike) ?? true, "our own names have one meaning")
        let iv = profile.iv == .caller ? [UInt8](repeating: 7, count: profile.cipher.ivByteCount) : nil
        let payload = MemoryDestination()
        // Twelve bytes are whole blocks once they are base64.
        let isWholeBlocks = profile.inner == .none || profile.cipher.padding != .none
        let video = Array((isWholeBlocks ? "a video, no more" : "a video, ok?").utf8)
        guard let order = try? OrderNumber("ord1") else { return }
        let sealed = outcome {
            try PayloadSealer(orderNo: order, to: Keys.own.publicKey, sealedAs: profile, iv: iv)
                .seal(MemorySource(video), into: payload)
        }
        // A long IV may leave no room in the RSA block, and a data URI's front fills no blocks.
        if sealed.complaint.contains("leaves room") || sealed.complaint.contains("without padding") { return }
        try hold(sealed.value != nil, "a profile seals: \(sealed.complaint)")
        let opened = try everyWay(payload.bytes) { source, destination in
            try PayloadOpener([Keys.own], sealedAs: profile, iv: iv, accepting: .none).open(
                from: source, into: destination)
        }
        try hold(opened.value?.bytes == video, "a profile opens what it seals: \(opened.complaint)")
    }
}
