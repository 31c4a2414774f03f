// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidencePayload
internal import EvidenceStreams
internal import MediaStructure
internal import ResultCheck
internal import VendorTypes

/// Turns the body of one request into its answer. Releasing it abandons the request.
protocol Operation: AnyObject {
    /// - Throws: ``EvidenceError`` or ``Problem``.
    func append(_ bytes: Span<UInt8>) throws
    /// After the last byte.
    ///
    /// - Throws: ``EvidenceError`` or ``Problem``.
    func finish() throws -> Answer
}

/// A receiver of the library, and the answer made of its result.
final class Receiving<Receiver: ByteReceiver>: Operation {
    private let receiver: Receiver
    private let answer: (Receiver.Report) throws -> Answer

    init(_ receiver: Receiver, _ answer: @escaping (Receiver.Report) throws -> Answer) {
        (self.receiver, self.answer) = (receiver, answer)
    }

    deinit { receiver.abandon() }

    func append(_ bytes: Span<UInt8>) throws { try receiver.append(bytes) }

    func finish() throws -> Answer { try answer(receiver.finish()) }
}

/// An operation of which a failure to open has a hint of the service's own.
final class Explaining: Operation {
    private let operation: any Operation
    private let hint: String

    init(_ operation: any Operation, _ hint: String) { (self.operation, self.hint) = (operation, hint) }

    func append(_ bytes: Span<UInt8>) throws { try explaining { try operation.append(bytes) } }

    func finish() throws -> Answer { try explaining { try operation.finish() } }

    private func explaining<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch let error as EvidenceError
            where error.code == .cannotOpen || error.code == .length
        {
            throw Problem(error, hint: [error.hint, hint].compactMap(\.self).joined(separator: "; "))
        }
    }
}

/// A name that can be used once: a file takes it for good, whatever becomes of the request.
final class NameOnce {
    private let file: WholeFile

    /// Refuses a name that was taken.
    ///
    /// - Throws: ``Problem``.
    init(path: String) throws(Problem) {
        do throws(EvidenceError) { file = try WholeFile(path: path) } catch { throw Problem(ofUsedName: error) }
    }

    /// Takes it.
    ///
    /// - Throws: ``Problem``, also where another request has taken it meanwhile.
    func take() throws(Problem) {
        do throws(EvidenceError) { try file.finish() } catch { throw Problem(ofUsedName: error) }
    }
}

/// A check. A body that is not one whole JSON object says nothing about a result: it is refused, as by every path.
final class Checking: Operation {
    private let receiver: CheckReceiver
    private let reservation: NameOnce?
    private let answer: (CheckAnswer) throws -> Answer

    init(
        _ receiver: CheckReceiver, reserving reservation: NameOnce? = nil,
        _ answer: @escaping (CheckAnswer) throws -> Answer
    ) {
        (self.receiver, self.reservation, self.answer) = (receiver, reservation, answer)
    }

    deinit { receiver.abandon() }

    func append(_ bytes: Span<UInt8>) throws { try receiver.append(bytes) }

    func finish() throws -> Answer {
        try reservation?.take()
        let found = try receiver.finish()
        if let error = receiver.noDocument { throw error }
        return try answer(found)
    }
}

/// A body that must be complete before it is used; until then it is held, sealed.
final class Holding: Operation {
    private let held: HeldContent
    private let answer: (HeldContent) throws -> Answer

    init(_ memoryLimit: Int, _ answer: @escaping (HeldContent) throws -> Answer) throws {
        held = try HeldContent(memoryLimit: memoryLimit)
        self.answer = answer
    }

    func append(_ bytes: Span<UInt8>) throws { try held.write(bytes) }

    func finish() throws -> Answer {
        try held.finish()
        return try answer(held)
    }
}

/// A small body of values, or none.
final class Values: Operation {
    private var bytes: [UInt8] = []
    private let answer: ([UInt8]) throws -> Answer

    init(_ answer: @escaping ([UInt8]) throws -> Answer) { self.answer = answer }

    func append(_ piece: Span<UInt8>) { for index in piece.indices { bytes.append(piece[index]) } }

    func finish() throws -> Answer { try answer(bytes) }
}

extension Answer {
    /// Opened content, once all of it is proven.
    init(
        opened content: HeldContent, order: OrderNumber?, _ tag: TagCoverage, fields: [(String, String)] = []
    ) throws {
        guard let digest = content.digest, let size = content.size else {
            throw EvidenceError(.cannotRead, "the opened content is missing")
        }
        let type =
            switch content.media {
            case .mp4: "video/mp4"
            case .jpeg: "image/jpeg"
            case .png: "image/png"
            default: "application/octet-stream"
            }
        var fields = fields
        if let order { fields.append(("Evidence-Order-No", order.value)) }
        fields.append(("Evidence-Tag", tag.rawValue))
        let body = try Body(content, size)
        self.init(200, type, body, digest: digest.sha256, fields: fields)
    }
}

extension Answer.Body {
    /// Held content. If it is short it is read into memory, so that its file and descriptor can be closed.
    fileprivate init(_ content: HeldContent, _ size: UInt64) throws {
        guard size <= 64 << 10 else {
            self = .source(content, size)
            return
        }
        self = .bytes(try content.readAll(limit: Int(size), name: "what was opened"))
    }
}

/// Sources one after the other.
final class Sequenced: ByteSource {
    let isSeekable = true
    let size: UInt64?
    private let sources: [any ByteSource]
    private var current = 0

    init(_ sources: [any ByteSource]) {
        self.sources = sources
        size = sources.reduce(0) { $0 + ($1.size ?? 0) }
    }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        while current < sources.count {
            let got = try sources[current].read(count, to: &buffer)
            if got > 0 { return got }
            current += 1
        }
        return 0
    }

    /// Only to the beginning.
    func seek(to offset: UInt64) throws(EvidenceError) {
        guard offset == 0 else { throw EvidenceError(.cannotRead, "this can be read only from the beginning") }
        for source in sources { try source.seek(to: 0) }
        current = 0
    }
}
