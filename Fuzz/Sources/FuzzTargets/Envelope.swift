// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

extension FuzzTarget {
    /// Sealed payloads under every profile, damaged inside: what is intact opens, and what opens under a tag is what
    /// was sealed.
    static let envelope = FuzzTarget(name: "envelope") { input in
        guard let payload = try SealedPayload(input) else { return }
        let opened = try everyWay(payload.json) { source, destination in
            try PayloadOpener([Keys.own], sealedAs: payload.profile, iv: payload.iv, accepting: .none).open(
                from: source, into: destination)
        }
        if payload.isIntact {
            try hold(
                opened.value?.bytes == payload.plaintext,
                "what was sealed under \(payload.profile.json) comes back: \(opened.complaint)")
        }
        if payload.profile.isAuthenticated, let opened = opened.value {
            try hold(opened.bytes == payload.plaintext, "under a tag nothing else comes out than what was sealed")
        }
        if let opened = opened.value {
            try hold(opened.report.tag == payload.profile.tagCoverage, "the report says what the profile's tag covers")
            try hold(opened.report.byteCount == opened.bytes.count, "the report counts the bytes")
        }
        try checkOtherKey(payload)
    }

    /// Another key opens nothing, with a tag; and what is given to it, it opens.
    private static func checkOtherKey(_ payload: SealedPayload) throws {
        let rewrapped = MemoryDestination()
        let rewrap = outcome {
            try PayloadOpener(Keys.own).rewrap(
                of: payload.order, from: PipeSource(payload.json), to: Keys.other.publicKey, into: rewrapped)
        }
        try hold(rewrap.value == nil || payload.profile.layout == .chunked, "only what commits to its key is rewrapped")
        try hold(rewrap.value != nil || rewrapped.bytes.isEmpty, "a failure leaves nothing behind")
        guard rewrap.value != nil, payload.isIntact else { return }
        let opened = outcome {
            let video = MemoryDestination()
            _ = try PayloadOpener(Keys.other).open(from: MemorySource(rewrapped.bytes), into: video)
            return video.bytes
        }
        try hold(
            opened.value == payload.plaintext, "wrapped anew, a payload opens with the new key: \(opened.complaint)")
    }
}
