// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

extension FuzzTarget {
    /// Sealed payloads under every profile, damaged inside: what is intact opens, and what opens under a tag is what
    /// was sealed.
    static let envelope = FuzzTarget(name: "envelope") { input in
        guard let payload = try SealedPayload(input) else { return }
        let opened = try everyWay(payload.json) { source, destination in
            try SimpleModePayload(source).openVideo(
                with: Keys.own, sealedAs: payload.profile, iv: payload.iv, into: destination)
        }
        if payload.isIntact {
            try hold(
                opened.value?.bytes == payload.plaintext,
                "what was sealed under \(payload.profile.json) comes back: \(opened.complaint)")
        }
        if payload.profile.isAuthenticated, let opened = opened.value {
            try hold(opened.bytes == payload.plaintext, "under a tag nothing else comes out than what was sealed")
        }
        switch opened.value?.report {
        case .authenticated(let report)?:
            try hold(payload.profile.coversOrder, "without a tag over the order nothing is authenticated")
            try hold(report.byteCount == opened.value?.bytes.count ?? -1, "the report counts the bytes")
        case .authenticatedOfUnknownOrder?:
            try hold(payload.profile.isAuthenticated && !payload.profile.coversOrder, "a tag, but not over the order")
        case .unauthenticated?: try hold(!payload.profile.isAuthenticated, "a tag authenticates")
        case nil: break
        }
        try checkOtherKey(payload)
    }

    /// Another key opens nothing, with a tag; and what is given to it, it opens.
    private static func checkOtherKey(_ payload: SealedPayload) throws {
        let rewrapped = MemoryDestination()
        let rewrap = outcome {
            try SimpleModePayload(PipeSource(payload.json)).rewrap(
                of: payload.order, from: [Keys.own], to: Keys.other.publicKey, sealedAs: payload.profile,
                iv: payload.iv, into: rewrapped)
        }
        try hold(rewrap.value == nil || payload.profile.coversOrder, "only what a tag ties to its order is rewrapped")
        try hold(rewrap.value != nil || rewrapped.bytes.isEmpty, "a failure leaves nothing behind")
        guard rewrap.value != nil, payload.isIntact else { return }
        let opened = outcome {
            let video = MemoryDestination()
            _ = try SimpleModePayload(MemorySource(rewrapped.bytes)).openVideo(
                with: Keys.other, sealedAs: payload.profile, iv: payload.iv, into: video)
            return video.bytes
        }
        try hold(
            opened.value == payload.plaintext, "wrapped anew, a payload opens with the new key: \(opened.complaint)")
    }
}
