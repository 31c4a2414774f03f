// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidenceStreams
public import VendorSigning
public import VendorTypes

/// A folder in which one program keeps the SIGN tickets for those that verify signs: the current one in `sign-ticket`,
/// and the one before in `sign-ticket.before`.
///
/// Each file has the ticket in its first line, and in the second `expires` and when it expires
/// (`expires 2026-11-21T08:30:00.000Z`). Both are replaced by a rename: the one before first, while the current one is
/// read first. So who reads beside a rotation has the ticket that was current when it began.
///
/// Nothing is kept in memory. An example: <doc:SigningCalls>.
public struct TicketFolder: Sendable {
    /// Where it is.
    public let path: String

    /// A folder, which need not exist yet.
    public init(path: String) { self.path = path }

    /// The names of its files, in the order of ``tickets(at:_:)``.
    public static let fileNames = ["sign-ticket", "sign-ticket.before"]

    /// The SIGN tickets to verify with, read anew: the current one and the one before. No sign is valid under one that
    /// has expired; a check says of such a sign that it is unchecked.
    ///
    /// - Parameters:
    ///   - now: the time by which they expire.
    ///   - instant: the same moment, for ``VendorSigning/Ticket/expires``.
    /// - Throws: ``EvidenceError``: `.cannotRead`; `.ticketExpired` where the current one has expired; `.ticket` for a
    ///   file of another form.
    public func tickets(
        at now: UTCTime, _ instant: ContinuousClock.Instant = .now
    ) throws(EvidenceError) -> [Ticket] {
        guard let (current, end) = try ticket(Self.fileNames[0], now, instant, isRequired: true) else { return [] }
        guard now < end else {
            throw EvidenceError(
                .ticketExpired, "the ticket in '\(printable(path))' expired at \(end)",
                hint: "see whether the program that renews it runs, and what it logs")
        }
        guard let (before, _) = try ticket(Self.fileNames[1], now, instant, isRequired: false),
            !Ticket.hasSameValue(before, current)
        else { return [current] }
        return [current, before]
    }

    /// Replaces the tickets. Of two programs that write at a time, either's may stay: let one write.
    ///
    /// - Parameters:
    ///   - current: the current SIGN ticket.
    ///   - before: the one before; `nil` leaves that file as it is.
    ///   - now: the time.
    ///   - instant: the same moment, by which the tickets expire.
    /// - Throws: ``EvidenceError``: `.ticketKind` for a NONCE ticket, `.ticket` for one of unknown age, `.cannotWrite`,
    ///   `.foreignLink`.
    public func write(
        _ current: Ticket, before: Ticket?, at now: UTCTime, _ instant: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        if let before { try write(before, to: Self.fileNames[1], now, instant) }
        try write(current, to: Self.fileNames[0], now, instant)
    }

    // MARK: - One file

    private static let lives = Duration.seconds(-31_536_000) ... .seconds(31_536_000)
    private static let label = Array("expires ".utf8)
    /// The time, with the line feed after it.
    private static let timeBytes = "0000-00-00T00:00:00.000Z\n".utf8.count

    private func ticket(
        _ name: String, _ now: UTCTime, _ instant: ContinuousClock.Instant, isRequired: Bool
    ) throws(EvidenceError) -> (Ticket, expires: UTCTime)? {
        let path = "\(path)/\(name)"
        let file: FileSource
        do throws(EvidenceError) { file = try FileSource(regularFileAt: path) } catch {
            if !isRequired, error.isOfMissingFile { return nil }
            guard error.isOfMissingFile else { throw error }
            let isThere = (try? ConfinedFolder(path: self.path)) != nil
            throw error.hinting(
                isThere
                    ? "the program that keeps the folder has written none yet"
                    : "there is no folder '\(printable(self.path))'")
        }
        let whole = try SecretBytes(contentsOf: file, limit: Limits.passphraseBytes, name: path)
        return try whole.withExposedBytes { bytes throws(EvidenceError) in
            let end = bytes.indices.first { bytes[$0] == 0x0A } ?? bytes.count
            // What is not this line may be another secret, which must not become a text.
            var line = bytes.indices.dropFirst(end + 1)
            let isLabel = Self.label.allSatisfy { byte in line.popFirst().map { bytes[$0] == byte } ?? false }
            let time = isLabel && line.count == Self.timeBytes ? line.map { bytes[$0] } : []
            guard time.last == 0x0A, let expires = UTCTime(String(decoding: time.dropLast(), as: UTF8.self)) else {
                throw EvidenceError(
                    .ticket, "'\(printable(path))' does not say in its second line when the ticket expires",
                    hint: "let the program that keeps the folder write it; give a ticket of your own as a file")
            }
            let rest = Duration.milliseconds(expires.millisecondsSince1970 - now.millisecondsSince1970)
            do throws(EvidenceError) {
                let ticket = try Ticket(
                    .sign, SecretBytes(copying: bytes.extracting(..<end)), issued: nil, expires: instant + rest)
                return (ticket, expires)
            } catch { throw error.at("'\(printable(path))'") }
        }
    }

    private func write(
        _ ticket: Ticket, to name: String, _ now: UTCTime, _ instant: ContinuousClock.Instant
    ) throws(EvidenceError) {
        guard ticket.kind == .sign else {
            throw EvidenceError(.ticketKind, "a folder of tickets takes SIGN tickets, not a \(ticket)")
        }
        // No ticket lives for a year: that would be the mistake of a clock.
        guard let rest = ticket.expires.map({ $0 - instant }), Self.lives.contains(rest),
            let expires = UTCTime(millisecondsSince1970: now.millisecondsSince1970 + rest.milliseconds)
        else { throw EvidenceError(.ticket, "nothing says when this ticket expires") }
        let line = Array("\nexpires \(expires)\n".utf8)
        let content = ticket.withExposedValue { value in
            SecretBytes(capacity: value.count + line.count) { out in
                for index in value.indices { out.append(value[index]) }
                for byte in line { out.append(byte) }
            }
        }
        let file = try WholeFile(path: "\(path)/\(name)", replacing: true)
        try content.withExposedBytes { bytes throws(EvidenceError) in try file.write(bytes) }
        try file.finish()
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

extension EvidenceError {
    fileprivate var isOfMissingFile: Bool { code == .cannotRead && errno == 2 }
}
