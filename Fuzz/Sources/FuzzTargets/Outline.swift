// SPDX-License-Identifier: Apache-2.0
import EvidenceArchive
import EvidenceCrypto
import EvidenceEncoding
import TestVectorSupport

extension FuzzTarget {
    /// What stays of a document when its face must go: pieces make no difference, a good document has an outline and no
    /// other has, and what stands in it is what `docs/ARCHIVE.md` §1.2 says of each value.
    static let outline = FuzzTarget(name: "outline") { bytes in
        var generator = SeededGenerator(of: bytes)
        let outline = try outline(of: [bytes])
        for pieces in [generator.pieces(of: bytes), bytes.map { [$0] }] {
            try hold(try Self.outline(of: pieces) == outline, "pieces make no difference")
        }
        let scan = Scan([bytes])
        guard scan.error == nil else { return try hold(outline == nil, "what is refused has no outline") }
        // Where a number is too long for the scanner to keep it, there is no tree to compare with.
        guard let tree = Tree(scan.events) else { return }
        try hold((outline != nil) == (tree.isObject && !tree.hasLongArray), "what has an outline")
        // What replaces a string is an object, and may be one level too deep to be read again.
        guard let outline, tree.depth < Limits.jsonDepth else { return }
        try hold(try Tree(Scan([outline]).events) == tree.outlined(), "each string is kept or replaced")
        try hold(try Self.outline(of: [outline]) == outline, "in an outline there is nothing to replace")
    }

    private static func outline(of pieces: [[UInt8]]) throws -> [UInt8]? {
        var outline = DocumentOutline()
        for piece in pieces { try outline.append(piece.span) }
        return try outline.finish()
    }
}

extension Tree {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }

    fileprivate var depth: Int {
        switch self {
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        default: 0
        }
    }

    fileprivate var hasLongArray: Bool {
        switch self {
        case .object(let members): members.values.contains(where: \.hasLongArray)
        case .array(let elements): elements.count > 64 || elements.contains(where: \.hasLongArray)
        default: false
        }
    }

    /// What the outline of it says.
    fileprivate func outlined(named name: String? = nil) throws -> Tree {
        switch self {
        case .object(let members):
            return .object(
                Dictionary(
                    uniqueKeysWithValues: try members.map {
                        ($0.key, try $0.value.outlined(named: String(decoding: $0.key, as: UTF8.self)))
                    }))
        case .array(let elements): return .array(try elements.map { try $0.outlined() })
        case .string(let text):
            let isMedia = name.map(["userImageString", "userVideoString", "identifyStr"].contains) ?? false
            guard isMedia || text.count > 1_024 && name != "deviceSignature" else { return self }
            let digest = try DigestAlgorithm.sha256.digest(of: text.span)
            return .object([
                Array("byteCount".utf8): .number(Double(text.count)),
                Array("sha256".utf8): .string(Array(Hex.encode(digest.span).utf8)),
            ])
        case .number, .bool, .null: return self
        }
    }
}
