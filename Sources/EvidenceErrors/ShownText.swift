// SPDX-License-Identifier: Apache-2.0
// How much of a stranger's or a caller's text a message may show.

/// What a word was meant as that a caller typed, or sent in a request.
package enum WordUse {
    /// A word of its own: a verb, an operand, an option's value.
    case word
    /// The name of an option (up to its equals sign), of a JSON member or of a parameter.
    case name
    /// The value of an option that takes a path.
    case path
    /// The value of an option that takes the path of a key, a passphrase or a ticket.
    case secretPath
}

/// Whether a message may repeat a word that is wrong where it stands. People type a secret where something else
/// belongs, and messages end in logs; but a message that does not say which word is wrong helps little.
///
/// Repeated are the value of an option that takes a path, unless the path is that of a secret; a name of letters,
/// hyphens and dots; a word of lower-case letters and hyphens; a word in another alphabet; and whatever ends like a
/// file's name.
package func mayBeRepeated(_ word: String, as use: WordUse) -> Bool {
    if use == .path || isPlainlyAFileName(word) { return true }
    if use == .word, isInAnotherAlphabet(word) { return true }
    let punctuation = [UInt8(ascii: "-"), UInt8(ascii: ".")]
    return switch use {
    case .name: word.utf8.count <= 40 && word.utf8.allSatisfy { isLetter($0 | 0x20) || punctuation.contains($0) }
    case .word: word.utf8.count <= 20 && word.utf8.allSatisfy { isLetter($0) || $0 == punctuation[0] }
    case .path, .secretPath: false
    }
}

/// What stands in a message for a word that is not repeated.
package let notRepeated = "(not repeated here: it may be a secret)"

/// The most characters of a word that a message shows.
package let shownCharacters = 80

private func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

/// Whether nobody has such a secret: short, on one line, and with the end of a file's name.
private func isPlainlyAFileName(_ word: String) -> Bool {
    let isPlain = word.unicodeScalars.allSatisfy { !isHidden($0) } && word.count <= shownCharacters
    let endings = [
        ".pem", ".key", ".der", ".p8", ".p12", ".pfx", ".crt", ".cer", ".pub", ".txt", ".base64", ".b64", ".json",
        ".ndjson", ".csv", ".log", ".mp4", ".mov", ".jpg", ".jpeg", ".png", ".heic", ".bin", ".enc", ".zip", ".tar",
        ".tgz", ".gz", ".html", ".tsr", ".tsq", ".p7s",
    ]
    let lower = word.lowercased()
    return isPlain && endings.contains { lower.hasSuffix($0) }
}

/// Whether a word has letters beyond ASCII, as names of files have; what systems issue as secrets has none.
private func isInAnotherAlphabet(_ word: String) -> Bool {
    word.count <= shownCharacters && word.unicodeScalars.allSatisfy { !isHidden($0) }
        && word.unicodeScalars.contains { !$0.isASCII && $0.properties.isAlphabetic }
}

/// A name or word that is safe to show on a terminal: control characters and text-direction marks are replaced.
public func printable(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { isHidden($0) ? "?" : $0 }))
}

/// Whether a character is invisible, controls a terminal, or changes the direction of the text around it.
package func isHidden(_ scalar: Unicode.Scalar) -> Bool { hidden.contains(scalar.properties.generalCategory) }

private let hidden: Set<Unicode.GeneralCategory> = [
    .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
]

/// The name of a byte: printable ASCII is shown as it is, anything else by number.
package func name(of byte: UInt8) -> String {
    switch byte {
    case 0x0A: "a line feed"
    case 0x0D: "a carriage return"
    case 0x09: "a tab"
    case 0x20: "a space"
    case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
    default: "the byte 0x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
