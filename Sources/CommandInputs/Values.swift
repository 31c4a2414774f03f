// SPDX-License-Identifier: Apache-2.0
public import CommandSyntax
internal import EvidenceEncoding
public import EvidenceKit
internal import EvidenceStreams

extension Files {
    /// Reads a text without the line break at its end.
    package mutating func text(_ path: String, as what: String, limit: Int) throws -> String {
        let read = try input(path, as: what).readAll(limit: limit, name: path)
        var bytes = SavedText.utf8(read.span)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.usage, "\(what) is not UTF-8")
        }
        return text
    }

    /// Reads a challenge from the command line.
    package func challenge(_ text: String) throws -> DeviceChallenge {
        guard let challenge = DeviceChallenge(text) else {
            throw CommandError(.usage, "--challenge must be \(DeviceChallenge.shape)")
        }
        return challenge
    }

    /// Reads an order number from the command line.
    ///
    /// - Throws: `CommandError` (`.usage`) for what is none.
    public func orderNumber(_ text: String) throws -> OrderNumber {
        do throws(EvidenceError) { return try OrderNumber(text) } catch {
            throw CommandError(.usage, "--order-no: \(error)", hint: error.hint)
        }
    }

    /// The time of an option, or the current time.
    ///
    /// - Throws: `CommandError`: `.usage` for what is no time, `.system` where the clock cannot be read.
    public func moment(_ arguments: Arguments, _ option: Option) throws -> UTCTime {
        guard let text = arguments[option] else { return try Clock.requireNow() }
        guard let moment = UTCTime(text) else {
            throw CommandError(
                .usage, "\(option.name) is not a time of the form 2026-11-21T08:30:00.000Z",
                hint: "give it in UTC, with milliseconds and a Z at the end")
        }
        return moment
    }
}

/// The system's time.
public enum Clock {
    /// Now; `nil` where the clock cannot be read.
    package static var now: UTCTime? {
        CommandProcess.millisecondsSince1970.flatMap(UTCTime.init(millisecondsSince1970:))
    }

    /// Now.
    ///
    /// - Throws: `CommandError` (`.system`) where the clock cannot be read.
    public static func requireNow() throws(CommandError) -> UTCTime {
        guard let now else { throw CommandError(.system, "cannot read the clock") }
        return now
    }
}
