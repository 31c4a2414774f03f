// SPDX-License-Identifier: Apache-2.0
// How much of a stranger's text a message may show.

/// A name or word that is safe to show on a terminal: control characters and text-direction marks are replaced.
package func printable(_ name: String) -> String {
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
