// SPDX-License-Identifier: Apache-2.0
/// How a waiting record shortens how long records are kept: `docs/ARCHIVE.md` §5.
public enum ShorteningKind: String, CaseIterable, Sendable {
    /// It ends a hold.
    case releases
    /// It names an earlier day for a record.
    case earlierDays = "earlier-days"
    /// It names an earlier day for the face of a record than that, or the record, has.
    case earlierFaceDays = "earlier-face-days"
    /// It is the first to name a day for a record, within 30 days.
    case firstDays = "first-days"
    /// It is the first to name a day for the face of a record, within 30 days.
    case firstFaceDays = "first-face-days"
    /// It adds to a record of an earlier bag.
    case additions
}
