// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload

/// Opens all of the content as it is read, in several ways at a time, including forms that no profile can express.
final class RawOpening {
    let trial: Trial
    /// What the tag covers besides the content.
    let rule: Profile.AADRule
    /// Bytes after the ciphertext that are not a tag.
    let behind: Int
    /// Bytes of padding after the content that no cipher here takes off.
    let padding: Int
    private let walk = ContentWalk()
    private var opener: ContentCipher.Opener?
    private var skipped: Int
    private let heldCount: Int
    private var held: [UInt8] = []
    private var plain: [UInt8] = []
    private let tag: [UInt8]?

    init(
        _ trial: Trial, _ rule: Profile.AADRule, _ aad: [UInt8], behind: Int, padding: Int = 0, _ ends: ContentEnds
    ) throws(EvidenceError) {
        self.padding = padding
        self.trial = trial
        self.rule = rule
        self.behind = behind
        skipped = trial.skipped
        heldCount = trial.held + behind
        switch trial.tag {
        case .field(_, _, let bytes): tag = bytes
        case .unreadable(let field): tag = field.bytes
        case .prefixed: tag = Array(ends.head[trial.skipped - trial.cipher.tagByteCount..<trial.skipped])
        case .appended, .none: tag = nil
        }
        opener = try trial.opener(ends.head, trial.cipher.isAuthenticated ? aad : [])
    }

    func append(_ bytes: [UInt8]) throws(EvidenceError) {
        let start = min(skipped, bytes.count)
        skipped -= start
        guard heldCount > 0 else { return try open(bytes.span.extracting(start...)) }
        // Bytes that may be the last ones wait.
        var next = held
        next += bytes[start...]
        let count = max(0, next.count - heldCount)
        try open(next.span.extracting(..<count))
        held = Array(next[count...])
    }

    private func open(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try opener?.append(bytes, to: &plain)
        release()
    }

    private func release() {
        let count = max(0, plain.count - padding)
        walk.write(plain.span.extracting(..<count))
        plain.removeSubrange(..<count)
    }

    /// Whether a tag proves it, and the kind of content.
    func finish() throws(EvidenceError) -> (isProved: Bool, content: WalkedContent) {
        var isProved = false
        if trial.cipher.isAuthenticated, let opener = opener.take() {
            do throws(EvidenceError) {
                let tag = tag ?? held
                try opener.finalize(tag: tag.span, to: &plain)
                isProved = true
            } catch { guard error.code == .cannotOpen else { throw error } }
        } else if behind > 0 || trial.isPadded, let opener = opener.take() {
            _ = try Trial.ends(opener, &plain)
        } else {
            // One more block releases what a decryptor holds back for its padding.
            try opener?.append([UInt8](repeating: 0, count: 16).span, to: &plain)
        }
        release()
        walk.finish()
        return (isProved, walk.content())
    }
}
