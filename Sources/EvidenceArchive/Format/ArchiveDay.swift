// SPDX-License-Identifier: Apache-2.0
package import VendorTypes

/// A day of the Gregorian calendar, `2031-11-22`. It begins at 00:00 UTC.
public struct ArchiveDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Four digits, two and two.
    public let description: String

    /// A day that was written down; `nil` for what is none.
    public init?(_ text: String) {
        guard UTCTime("\(text)T00:00:00.000Z") != nil else { return nil }
        description = text
    }

    /// The day of a moment.
    package init(_ time: UTCTime) { description = String("\(time)".prefix(10)) }

    /// By the calendar.
    public static func < (left: ArchiveDay, right: ArchiveDay) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }
}
