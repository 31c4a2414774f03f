// SPDX-License-Identifier: Apache-2.0
/// A JSON name as the most lenient of the common readers matches it (`docs/FORMATS.md` §1.1).
///
/// Readers fold case, some of them as all of Unicode does; binders of Java, C# and PHP drop punctuation; browsers and
/// databases take compatibility forms for plain letters; C ends a name at a NUL.
private struct LooseName: Sendable {
    /// Letters and digits; `nil` stands for any characters, or for none.
    private(set) var characters: [Unicode.Scalar?] = []

    init(_ name: some Sequence<Unicode.Scalar>) {
        characters.reserveCapacity(name.underestimatedCount)
        for scalar in name {
            if scalar.isASCII {
                // Almost all names consist of these, and looking up a character's properties is slow.
                switch scalar {
                case "a"..."z", "0"..."9": characters.append(scalar)
                case "A"..."Z": characters.append(Unicode.Scalar(UInt8(scalar.value) + 0x20))
                default: break
                }
            } else {
                for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                    append(upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
    }

    private mutating func append(_ scalars: String.UnicodeScalarView) {
        for scalar in scalars {
            if scalar.properties.isDefaultIgnorableCodePoint { continue }
            // The standard library does not say what such a character becomes.
            if !scalar.isASCII, scalar.properties.changesWhenNFKCCaseFolded {
                if characters.last != .some(nil) { characters.append(nil) }
                continue
            }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber:
                characters.append(scalar)
            default: break
            }
        }
    }

    /// What a name may be taken for: all of it, and the part before a NUL.
    static func all(of name: String) -> [LooseName] {
        let scalars = name.unicodeScalars
        guard let end = scalars.firstIndex(of: "\0") else { return [LooseName(scalars)] }
        return [LooseName(scalars), LooseName(scalars[..<end])]
    }

    func isLike(_ known: LooseName) -> Bool {
        let (name, known) = (characters, known.characters)
        var (place, knownPlace) = (0, 0)
        /// After the last `nil` that was met: where to go on, once it stands for one character more.
        var retry: (place: Int, knownPlace: Int)?
        while knownPlace < known.count {
            if place < name.count, name[place] == nil {
                place += 1
                retry = (place, knownPlace)
            } else if place < name.count, name[place] == known[knownPlace] {
                place += 1
                knownPlace += 1
            } else if let (start, knownStart) = retry {
                place = start
                knownPlace = knownStart + 1
                retry = (start, knownPlace)
            } else {
                return false
            }
        }
        return name[place...].allSatisfy { $0 == nil }
    }

    /// How many characters a name that is like this one has at least.
    var count: Int { characters.count { $0 != nil } }

    /// Whether a part of it stands for any characters.
    var hasForms: Bool { characters.contains(nil) }
}

/// Known names and their meanings, to look up which of them a lenient reader would take a name for.
package struct LooseNames<Meaning: Sendable>: Sendable {
    private let known: [(name: LooseName, meaning: Meaning)]
    /// Where the first known name of these characters is.
    private let places: [[Unicode.Scalar?]: Int]
    private let longest: Int
    /// The meanings of the known names themselves, which are what documents mostly have.
    private var exact: [String: Meaning] = [:]

    /// Known names; of two that lenient readers confuse, the first counts.
    package init(_ known: some Sequence<(String, Meaning)>) {
        let names = Array(known)
        self.known = names.map { (name: LooseName($0.0.unicodeScalars), meaning: $0.1) }
        places = Dictionary(
            self.known.enumerated().map { ($1.name.characters, $0) }, uniquingKeysWith: { first, _ in first })
        longest = self.known.map(\.name.count).max() ?? 0
        exact = Dictionary(
            names.map { name, _ in (name, meaning(like: name)) }, uniquingKeysWith: { first, _ in first }
        )
        .compactMapValues(\.self)
    }

    /// The meaning of the known name that some reader would take this one for; `nil` if there is none.
    package subscript(name: String) -> Meaning? {
        if let place = exact.index(forKey: name), exact[place].key.utf8.elementsEqual(name.utf8) {
            return exact[place].value
        }
        return meaning(like: name)
    }

    private func meaning(like name: String) -> Meaning? {
        LooseName.all(of: name).compactMap(place(like:)).min().map { known[$0].meaning }
    }

    /// Where the first known name is that this one is like. One with compatibility forms is compared with each of them.
    private func place(like name: LooseName) -> Int? {
        guard name.count <= longest else { return nil }
        return name.hasForms ? known.firstIndex { name.isLike($0.name) } : places[name.characters]
    }
}
