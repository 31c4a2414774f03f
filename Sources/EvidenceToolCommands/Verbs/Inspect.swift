// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
import EvidenceKit
internal import EvidenceStreams
internal import ResultCheck
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

extension Verb {
    private static let strict = Option(
        flag: "--strict", "refuse anything that deviates from the vendor's documentation")
    private static let orderNo = Option(
        "--order-no", "N",
        "exit with 0 only if the document says that this order passed, and nothing in it contradicts that")

    static let inspect = Verb(
        name: "inspect",
        summary: "show what is in a payload, result or answer, without keys",
        discussion: """
            Reports which object a file holds, how the verification ended, what its error and its risks mean, which
            fields there are with their sizes, and the format of plain content: the dimensions of a JPEG or PNG, the
            brand of an MP4. The sizes add up to the size of the file. Nothing is opened and nothing is proven: a
            client's result is only a claim until its sign is checked, and an answer of the vendor's server is
            called a pass only for the order given with --order-no.

            With --order-no, the exit status is 0 only if the document says that this order passed, and nothing in
            it contradicts that. It is 1 otherwise, and 4 if it says neither that nor the opposite, as a payload
            alone: only its order number was compared. If the document is about another order, no report is shown.

            Names and values as wrappers spell them are also read, and listed as repairs; --strict refuses them, and
            decrypt reads them only if --repair names them. The last lines suggest next steps, and say what decrypt
            would refuse.
            """,
        options: [strict, orderNo, .json],
        operands: [Operand("FILE", "the file; standard input if it is - or omitted")],
        examples: ["result.json", "--strict --json --order-no ord1 < result.json"],
        run: { arguments in
            var files = Files()
            let order = try arguments[orderNo].map { try files.orderNumber($0) }
            let input = try files.input(arguments.operand, as: "the result")
            let progress = Progress(total: input.size)
            defer { progress.end() }
            let inspection: DocumentInspection
            do throws(EvidenceError) {
                inspection = try DocumentInspection(
                    of: MeteredSource(input, progress), arguments.has(strict) ? .strict : .tolerant, expecting: order)
            } catch {
                guard error.code == .repair, error.hint != nil else { throw error }
                throw CommandError(.rejected, "\(error)", hint: "inspect reads it without --strict", code: error.code)
            }
            progress.end()
            if let refusal = inspection.otherOrder {
                throw CommandError(.rejected, refusal, hint: "to show it anyway, leave out --order-no")
            }
            try Terminal.write(arguments.has(.json) ? inspection.json : inspection.text)
            if let refusal = inspection.noPass { throw refusal }
        })
}

extension DocumentInspection {
    /// Why this is not about the named order.
    var otherOrder: String? {
        switch order {
        case .noOrder: "the document names no order"
        case .otherOrder: "the document is for a different order than expected"
        case .passed, .notPassed, .payloadAlone, nil: nil
        }
    }

    /// Why a document about that order is not a pass; `nil` if it says that the order passed.
    var noPass: CommandError? {
        switch order {
        case .payloadAlone:
            CommandError(
                .unchecked, "the order number is the expected one; a payload says nothing about a pass",
                hint: "pass the whole result, or the answer of the vendor's server")
        case .notPassed where isDenial:
            CommandError(
                .rejected, "the document does not say that the expected order passed", hint: document.contradictionHint)
        case .notPassed:
            CommandError(
                .unchecked, "the document says neither that the expected order passed nor that it did not",
                hint: document.contradictionHint ?? "ask the vendor's server for the result (queryfacerecord)")
        case .passed, .noOrder, .otherOrder, nil: nil
        }
    }

    /// The command for a suggested step, if there is one.
    private static let commands = [
        "take-out-plain-video": "extract --field \(FieldName.userVideoString) -o video.mp4 FILE",
        "open-video": "decrypt --key KEY -o video.mp4 FILE",
        "take-out-photo": "extract --field \(FieldName.userImageString) -o photo.jpg FILE",
        "take-out-answered-photo": "extract --field \(FieldName.photo) -o photo.jpg FILE",
        "take-out-answered-video": "extract --field \(FieldName.video) -o video.mp4 FILE",
        "diagnose": "diagnose --key KEY FILE",
    ]

    /// The report for people.
    var text: String {
        var lines = ["\(title), \(document.byteCount) bytes"]
        let width = facts.map(\.name.count).max() ?? 0
        lines += facts.map { "  \($0.name.padded(to: width))  \($0.text)" }
        lines.append("fields, with their sizes in bytes:")
        let structure = "names and punctuation"
        let paths = document.fields.map(\.path)
        let column = (paths + [structure]).map(\.count).max() ?? 0
        let count = "\(document.byteCount)".count
        func row(_ name: String, _ bytes: UInt64, _ content: String?) -> String {
            let number = String(String("\(bytes)".reversed()).padded(to: count).reversed())
            return "  \(name.padded(to: column))  \(number)" + (content.map { "  \($0)" } ?? "")
        }
        lines += document.fields.map { row($0.path, $0.byteCount, Self.content(of: $0)) }
        lines.append(row(structure, document.structureByteCount, nil))
        for (heading, isHarmless) in [("repairs:", true), ("discrepancies:", false)] {
            let found = document.repairs.filter { $0.code.isHarmless == isHarmless }
            if !found.isEmpty { lines += [heading] + found.map { "  \($0)" } }
        }
        if !next.isEmpty { lines.append("next:") }
        for step in next {
            lines.append("  \(step.sentence)" + (Self.commands[step.name].map { ": evidence-tool \($0)" } ?? ""))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
