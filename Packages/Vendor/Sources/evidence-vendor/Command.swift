// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit

extension Command {
    static let evidenceVendor: Command = {
        var command = Command(
            name: "evidence-vendor", summary: "talk to the vendor's server from a terminal",
            version: EvidenceVersions.evidenceKit, verbs: [.token, .ticket, .keep, .faceId, .query],
            notes: """
                Results go to standard output or to files, messages to standard error. A file
                appears complete or not at all, and replaces none, but for those of keep. The
                proxy comes from the environment (https_proxy). TLS is always verified.
                Exit status: 0 done, or passed; 1 refused by the vendor (query: a verdict about
                this order, and nothing else); 2 usage error; 3 no valid answer, or the system
                failed; 4 nothing is known about the attempt (yet).
                """)
        command.hint = {
            $0.code == .exists
                ? "it was left unchanged; give another name" : hintAtSandbox($0) ?? $0.hint ?? hintOfVendor($0)
        }
        return command
    }()
}

extension Verb {
    static let token = Verb(
        name: "token", summary: "check that tokens can be fetched, and show their age",
        discussion: "Renews them if they are due. Shows no secret.", options: Option.common, operands: [],
        run: { arguments in try waiting { try await Calls.token(arguments) } })

    static let ticket = Verb(
        name: "ticket", summary: "write a ticket to a file, for evidence-tool",
        discussion: """
            The file has mode 0600: evidence-tool verify --ticket-file SIGN:FILE. A NONCE ticket is valid for two
            minutes, a SIGN ticket for an hour at most; for programs that go on running, see keep.
            """,
        options: Option.common + [.kind, .nonceUserId, .ticketOutput], operands: [],
        run: { arguments in try waiting { try await Calls.ticket(arguments) } })

    static let keep = Verb(
        name: "keep", summary: "keep a folder of SIGN tickets current, for other programs",
        discussion: """
            Runs until SIGTERM, and ends with 0. DIR/sign-ticket has the current ticket, DIR/sign-ticket.before the one
            before, each with its end in the second line: evidence-service --ticket-folder DIR, evidence-tool check
            --ticket-folder DIR. Failures are said on standard error, and repeated.
            """,
        options: Option.common + [.folder, .once], operands: [],
        run: { arguments in try waiting { try await Calls.keep(arguments) } })

    static let faceId = Verb(
        name: "faceid", summary: "upload the claimed identity, to get a face id",
        discussion: """
            An order number is for one attempt. It is printed before the upload, and the face id right after. The
            product "will" is not available here, since it needs a text.
            """,
        options: Option.common
            + [.userId, .newOrderNo, .product, .identity, .sourcePhoto, .bundle, .launch, .returnURL],
        operands: [],
        run: { arguments in try waiting { try await Calls.faceId(arguments) } })

    static let query = Verb(
        name: "query", summary: "query how an attempt ended",
        discussion: """
            Exit status 0: passed, 1: refused, 4: nothing is known (yet), or a file is missing. Fetch photo and video at
            once: three days after the verification they may be gone. They are in the answer only if --photo and --video
            ask for them. Nothing is written unless there is a verdict.
            """,
        options: Option.common + [.userId, .orderNo, .wait, .answer, .photo, .video], operands: [],
        run: { arguments in try waiting { try await Calls.query(arguments) } })
}
