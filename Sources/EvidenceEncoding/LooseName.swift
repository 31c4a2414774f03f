// SPDX-License-Identifier: Apache-2.0
/// A JSON name as the most lenient of the common readers sees it (`docs/FORMATS.md` §1.1).
///
/// Go's `encoding/json` compares names by Unicode case folding, binders of Java, C# and PHP drop underscores and
/// hyphens, and C ends a name at a NUL. Two names that are loosely the same are one field to some reader.
package struct LooseName: Hashable, Sendable {
    private let scalars: [Unicode.Scalar]

    /// The name without `_`, `-`, blanks, control and format characters and others that show nothing, and without
    /// regard to case.
    package init(_ name: String) { self.init(name.unicodeScalars[...]) }

    private init(_ name: Substring.UnicodeScalarView) {
        scalars = name.compactMap { scalar in
            switch scalar {
            case "A"..."Z": Unicode.Scalar(scalar.value + 0x20)
            case "a"..."z", "0"..."9": scalar
            case "_", "-": nil
            // The only others that fold to an ASCII letter, and two that Java's equalsIgnoreCase takes for an i.
            case "\u{017F}": "s"
            case "\u{212A}": "k"
            case "\u{0130}", "\u{0131}": "i"
            // Braille's blank: the one that shows nothing without being a blank or ignorable to Unicode.
            case "\u{2800}": nil
            case _ where scalar.properties.isDefaultIgnorableCodePoint: nil
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: nil
                default: scalar
                }
            }
        }
    }

    /// What a name may be taken for: all of it, and what stands before a NUL.
    package static func all(of name: String) -> [LooseName] {
        let scalars = name.unicodeScalars
        guard let end = scalars.firstIndex(of: "\0") else { return [LooseName(name)] }
        return [LooseName(name), LooseName(scalars[..<end])]
    }
}
