// SPDX-License-Identifier: Apache-2.0
// What a message may show of a stranger's text.

/// A name or a word as it may be shown on a terminal: what steers the terminal, or turns the text around, is replaced.
package func printable(_ name: String) -> String {
    let hidden: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
    ]
    let scalars = name.unicodeScalars.map { hidden.contains($0.properties.generalCategory) ? "?" : $0 }
    return String(String.UnicodeScalarView(scalars))
}

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
