// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import SimpleMode

/// Opens all of the content in a way that no profile can say, while it passes.
final class RawOpening {
    /// What a tag covers besides.
    enum AAD {
        case rule(Profile.AADRule, [UInt8])
        case orderNumber([UInt8])

        fileprivate var bytes: [UInt8] {
            switch self {
            case .rule(_, let bytes), .orderNumber(let bytes): bytes
            }
        }

        /// In words.
        var name: String { if case .orderNumber = self { ", with the order number as its AAD" } else { "" } }
    }

    let trial: Trial
    let aad: AAD
    /// Bytes behind the ciphertext that are no tag.
    let behind: Int
    private let walk = ContentWalk()
    private var opener: ContentCipher.Opener?
    private var skipped: Int
    private let heldCount: Int
    private var held: [UInt8] = []
    private var plain: [UInt8] = []
    private let tag: [UInt8]?

    init(_ trial: Trial, _ aad: AAD, behind: Int, _ ends: ContentEnds) throws(EvidenceError) {
        self.trial = trial
        self.aad = aad
        self.behind = behind
        skipped = trial.skipped
        heldCount = trial.held + behind
        switch trial.tag {
        case .field(_, let bytes): tag = bytes
        case .inFront: tag = Array(ends.head[trial.cipher.ivByteCount..<trial.skipped])
        case .appended, .none: tag = nil
        }
        opener = try trial.opener(ends.head, trial.cipher.isAuthenticated ? aad.bytes : [])
    }

    func append(_ bytes: [UInt8]) throws(EvidenceError) {
        let start = min(skipped, bytes.count)
        skipped -= start
        guard heldCount > 0 else { return try open(bytes.span.extracting(start...)) }
        // What may be the last bytes waits.
        var next = held
        next += bytes[start...]
        let count = max(0, next.count - heldCount)
        try open(next.span.extracting(..<count))
        held = Array(next[count...])
    }

    private func open(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try opener?.append(bytes, to: &plain)
        walk.write(plain.span)
        plain.removeAll(keepingCapacity: true)
    }

    /// Whether a tag proves it, and what the content is.
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
            // What a decryptor holds back for its padding comes out with one block more.
            try opener?.append([UInt8](repeating: 0, count: 16).span, to: &plain)
        }
        walk.write(plain.span)
        walk.finish()
        return (isProved, walk.content())
    }
}
