// SPDX-License-Identifier: Apache-2.0
// What a message may show of a stranger's text.

/// A name or a word as it may be shown on a terminal: what steers the terminal, or turns the text around, is replaced.
package func printable(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { isHidden($0) ? "?" : $0 }))
}

/// Whether a character shows nothing, steers a terminal, or turns the text around it.
package func isHidden(_ scalar: Unicode.Scalar) -> Bool { hidden.contains(scalar.properties.generalCategory) }

private let hidden: Set<Unicode.GeneralCategory> = [
    .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
]

/// What to call a byte. Printable ASCII is shown, anything else is named by number.
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
