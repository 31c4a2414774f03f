// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorClient
import VendorHTTP
import VendorServer

/// A verb: what it takes and what it does.
struct Verb: Sendable {
    let name: String
    let summary: String
    let options: [Option]
    let notes: String
    let run: @Sendable (Arguments) async throws -> Void

    static let all = [
        Verb(
            name: "token", summary: "check that tokens can be fetched, and show their age", options: Option.common,
            notes: "Renews them if they are due. Shows no secret.", run: Command.token),
        Verb(
            name: "ticket", summary: "write a ticket to a file, for evidence-tool",
            options: Option.common + [.kind, .userId, .output],
            notes: """
                The file has mode 0600: evidence-tool verify --ticket-file SIGN:FILE. A NONCE ticket is valid for
                two minutes, a SIGN ticket for an hour at most; for programs that go on running, see keep.
                """,
            run: Command.ticket),
        Verb(
            name: "keep", summary: "keep a folder of SIGN tickets current, for those that check results",
            options: Option.common + [.folder, .once],
            notes: """
                Runs until SIGTERM, and ends with 0. DIR/sign-ticket has the current ticket, DIR/sign-ticket.before
                the one before, each with its end in the second line: evidence-service --ticket-folder DIR,
                evidence-tool check --ticket-folder DIR. Failures are said on standard error, and repeated.
                """,
            run: Command.keep),
        Verb(
            name: "faceid", summary: "upload the claimed identity, to get a face id",
            options: Option.common
                + [
                    .userId, .orderNo, .product, .identity, .sourcePhoto, .bundle, .launch, .returnURL,
                ],
            notes: """
                An order number is for one attempt. It is printed before the upload, and the face id
                right after. The product "will" is not available here, since it needs a text.
                """,
            run: Command.faceId),
        Verb(
            name: "query", summary: "query how an attempt ended",
            options: Option.common + [.userId, .orderNo, .wait, .answer, .photo, .video],
            notes: """
                Exit status 0: passed, 1: refused, 4: nothing is known (yet), or a file is missing. Fetch photo and
                video at once: three days after the verification they may be gone. They are in the answer only if
                --photo and --video ask for them. Nothing is written unless there is a verdict.
                """,
            run: Command.query),
    ]
}

enum Command {
    /// The products that faceid can upload for: an intent check needs a text.
    static let products = FaceProduct.all.filter { $0 != .intentCheck }

    static func run(_ words: [String]) async throws {
        guard let first = words.first else {
            try Terminal.write(overview)
            throw Failure(.usage, "the verb is missing")
        }
        if first == "--help" || first == "-h" { return try Terminal.write(overview) }
        guard let verb = Verb.all.first(where: { $0.name == first }) else {
            throw Failure(.usage, "the first argument is not a verb", hint: "see: evidence-vendor --help")
        }
        let arguments = try Arguments(Array(words.dropFirst()), of: verb)
        if arguments.wantsHelp { return try Terminal.write(help(of: verb)) }
        try await verb.run(arguments)
    }

    // MARK: - Verbs

    static func token(_ arguments: Arguments) async throws {
        let keeper = try keeper(arguments)
        _ = try await keeper.signTicket()
        let status = try await keeper.status()
        func age(_ age: Duration?) -> String { age.map { "\($0.components.seconds) s old" } ?? "none" }
        try Terminal.write(
            """
            token: \(age(status.tokenAge))
            SIGN ticket: \(age(status.signTicketAge))
            previous ticket: \(status.hasPrevious ? "still valid" : "none")

            """)
        // The previous ones are used until they expire, but a failed renewal is still an error.
        guard !status.isDue else { throw notRenewed }
    }

    static func ticket(_ arguments: Arguments) async throws {
        guard let kind = Ticket.Kind(rawValue: try arguments.require(.kind)) else {
            throw Failure(.usage, "--kind must be SIGN or NONCE")
        }
        let output = try arguments.require(.output)
        // Before the call: a NONCE ticket without an output would be lost.
        let file = try WholeFile(path: output)
        let keeper = try keeper(arguments)
        let ticket =
            kind == .sign
            ? try await keeper.signTicket()
            : try await keeper.nonceTicket(
                for: FaceAttempt(appId: keeper.appId, userId: arguments.parse(.userId, UserId.init)))
        try ticket.withExposedValue { value in try file.write(value) }
        try file.finish()
    }

    /// Finished when the program is told to stop.
    static let (stopped, stop) = AsyncStream<Never>.makeStream()
    /// How long a renewal that has begun may take when the program is told to stop.
    private static let drain = Duration.seconds(15)

    /// Whether it runs until it is told to stop.
    static func serves(_ words: [String]) -> Bool {
        words.first == "keep" && !words.contains { [Option.once.rawValue, "--help", "-h"].contains($0) }
    }

    static func keep(_ arguments: Arguments) async throws {
        let tickets = TicketFolder(path: try arguments.require(.folder))
        let folder = try FolderKeeper(try keeper(arguments), tickets)
        guard arguments[.once] == nil else {
            guard try await folder.once() else { throw notRenewed }
            return
        }
        Terminal.say("keeping \(tickets.path)")
        let work = Task {
            await folder.run { event in
                switch event {
                case .wrote: Terminal.say("wrote the current ticket")
                case .failed(let error, let pause):
                    Terminal.fail(Failure(error))
                    Terminal.say("trying again in \(pause.components.seconds) s")
                }
            }
        }
        for await _ in stopped {}
        work.cancel()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work.value }
            group.addTask { try? await Task.sleep(for: drain) }
            await group.next()
            // Whoever waits for the vendor longer than that does not keep the process.
            Terminal.exit(.success)
        }
    }

    private static let notRenewed = Failure(
        .system, "the token or ticket is due for renewal, but that failed, or another process is doing it",
        hint: "try again in half a minute; until then, calls use the current ones")

    static func faceId(_ arguments: Arguments) async throws {
        let name = arguments[.product] ?? FaceProduct.enhanced.name
        guard let product = products.first(where: { $0.name == name }) else {
            throw Failure(
                .usage, "--product: unknown product",
                hint: "use one of " + products.map(\.name).joined(separator: ", "))
        }
        // Before the order number is used.
        guard arguments[.bundle] == nil || product != .h5 else {
            throw Failure(.usage, "--bundle: the product h5 is launched on a page, not in an app")
        }
        guard arguments[.launch] == nil || product != .basic else {
            throw Failure(.usage, "--launch: the product \(product.name) is launched in an app, not on a page")
        }
        guard arguments[.launch] == nil || arguments[.bundle] == nil else {
            throw Failure(.usage, "--bundle and --launch exclude each other: a face id is launched once")
        }
        guard (arguments[.launch] == nil) == (arguments[.returnURL] == nil) else {
            throw Failure(.usage, "--launch and --return-url need each other")
        }
        let back = arguments[.returnURL] == nil ? nil : try arguments.parse(.returnURL, ReturnURL.init)
        let launchHost = arguments[.host] == nil ? .launchFallback : try arguments.parse(.host, VendorHost.init)
        let bundle = try arguments[.bundle].map { try WholeFile(path: $0) }
        let launch = try arguments[.launch].map { try WholeFile(path: $0) }
        let claimed = try arguments[.identity].map { path in
            try arguments.value(.identity) { try identity(path) }
        }
        let photo = try arguments[.sourcePhoto].map { path in
            try arguments.value(.sourcePhoto) {
                try SourcePhoto(FileSource(path: path).readAll(limit: 500 << 10, name: path), .clear)
            }
        }
        let client = VendorClient(try keeper(arguments))
        let userId = try arguments.parse(.userId, UserId.init)
        let appId = client.keeper.appId
        let attempt =
            if arguments[.orderNo] != nil {
                FaceAttempt(appId: appId, userId: userId, orderNo: try arguments.parse(.orderNo, OrderNumber.init))
            } else { try FaceAttempt(appId: appId, userId: userId) }
        // Before it may be used up: whatever fails from here on, the number is known.
        try Terminal.write("orderNo: \(attempt.orderNo)\n")
        let received = try await client.answer { ticket throws(EvidenceError) in
            try FaceIdCall(product, for: attempt, identity: claimed, photo: photo, signedWith: ticket)
        }
        let faceId = try received.answer.value()
        let host = faceId.optimalHost.map { "optimalDomain: \($0)\n" } ?? ""
        try Terminal.write("faceId: \(faceId.value)\n\(host)")
        if let bundle {
            let ticket = try await client.keeper.nonceTicket(for: attempt)
            try write(LaunchBundle(faceId, signedWith: ticket).json, to: bundle)
        }
        if let launch, let back {
            let ticket = try await client.keeper.nonceTicket(for: attempt)
            let url = try H5Launch(faceId, returningTo: back, fallbackHost: launchHost, signedWith: ticket)
            try write(Array("\(url.urlForTheBrowser)\n".utf8), to: launch)
        }
    }

    static func query(_ arguments: Arguments) async throws {
        let wait = arguments[.wait] ?? "0"
        guard let seconds = Int(wait), (0...600).contains(seconds) else {
            throw Failure(.usage, "--wait must be a number of seconds, 0 to 600")
        }
        let answer = try arguments[.answer].map { try WholeFile(path: $0) }
        let photo = try arguments[.photo].map { try WholeFile(path: $0) }
        let video = try arguments[.video].map { try WholeFile(path: $0) }
        let client = VendorClient(try keeper(arguments))
        let attempt = FaceAttempt(
            appId: client.keeper.appId, userId: try arguments.parse(.userId, UserId.init),
            orderNo: try arguments.parse(.orderNo, OrderNumber.init))
        let files: RecordFiles =
            switch (photo, video) {
            case (nil, nil): .none
            case (_, nil): .photo
            case (nil, _): .video
            default: .photoAndVideo
            }
        let patience = RecordPatience(verdict: .seconds(seconds))
        let received = try await record(of: attempt, files: files, patience: patience, from: client)
        switch received.answer.verification.outcome {
        case .passed(let scores):
            let (photoBytes, videoBytes) = (MemoryDestination(), MemoryDestination())
            for (file, what, isThere) in [
                (photo, "photo", try received.writePhoto(into: photoBytes)),
                (video, "video", try received.writeVideo(into: videoBytes)),
            ] where file != nil && !isThere {
                throw Failure(.undecided, "passed, but the \(what) is not in the answer", hint: filesHint)
            }
            for (file, bytes) in [(photo, photoBytes.bytes), (video, videoBytes.bytes), (answer, received.body)] {
                if let file { try write(bytes, to: file) }
            }
            try Terminal.write(
                "passed\nliveRate: \(scores.liveRate.text ?? "none")\nsimilarity: \(scores.similarity.text ?? "none")\n"
            )
        case .refused(let refusal):
            if files != .none { Terminal.say("warning: no photo or video was written: that is done for a pass only") }
            if let answer { try write(received.body, to: answer) }
            throw Failure(.refused, "\(refusal)", hint: refusal.codeClass.advice)
        case .undecided(let refusal):
            throw Failure(.undecided, "\(refusal)", hint: refusal.codeClass.advice)
        }
    }

    /// 1007/114181 says three days; 655/13835, 655/32052 and 1007/114166, which are newer, as long as necessary.
    private static let filesHint =
        "ask again in a minute, and today: the vendor keeps photo and video until three days after the "
        + "verification, and says on newer pages only \"as long as necessary\""

    // MARK: - Parts

    private static func write(_ bytes: [UInt8], to file: WholeFile) throws(EvidenceError) {
        try file.write(bytes.span)
        try file.finish()
    }

    private static func keeper(_ arguments: Arguments) throws -> TokenKeeper {
        let host = arguments[.host] == nil ? .standard : try arguments.parse(.host, VendorHost.init)
        let secret = try arguments.value(.secretFile) { try AppSecret(arguments.secret(.secretFile)) }
        return TokenKeeper(
            appId: try arguments.parse(.appId, AppId.init), secret: secret,
            connection: VendorConnection(to: host, over: URLSessionTransport()),
            store: FileCredentialStore(path: try arguments.require(.store)))
    }

    /// The vendor's answer about an attempt. A refused token or ticket is not a verdict about a person.
    private static func record(
        of attempt: FaceAttempt, files: RecordFiles, patience: RecordPatience, from client: VendorClient
    ) async throws -> Received<FaceRecord> {
        do { return try await client.record(of: attempt, files: files, patience: patience) } catch {
            guard error.code == .refused else { throw error }
            throw Failure(.undecided, "\(error)", hint: error.hint)
        }
    }

    /// Two lines.
    private static func identity(_ path: String) throws -> ClaimedIdentity {
        let bytes = try FileSource(path: path).readAll(limit: 4_096, name: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.usage, "--identity: the file is not UTF-8")
        }
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        guard lines.count == 2 else {
            throw Failure(.usage, "--identity: the file must have two lines, the name and the number")
        }
        return try ClaimedIdentity(name: lines[0], idNo: lines[1])
    }

    // MARK: - Help

    private static var overview: String {
        let verbs = Verb.all.map { "  \($0.name.padding(to: 7)) \($0.summary)" }.joined(separator: "\n")
        return """
            evidence-vendor: talk to the vendor's server from a terminal

            usage: evidence-vendor VERB [options]

            \(verbs)

            See also: evidence-vendor VERB --help.

            Results go to standard output or to files, messages to standard error. A file
            appears complete or not at all, and replaces none, but for those of keep. The
            proxy comes from the environment (https_proxy). TLS is always verified.
            Exit status: 0 done, or passed; 1 refused by the vendor (query: a verdict about
            this order, and nothing else); 2 wrong use; 3 no valid answer, or the system
            failed; 4 nothing is known about the attempt (yet).

            """
    }

    private static func help(of verb: Verb) -> String {
        let options = verb.options.map { option in
            "  \("\(option.rawValue) \(option.help.value)".padding(to: 20)) \(option.help.text)"
        }
        return """
            evidence-vendor \(verb.name): \(verb.summary)

            usage: evidence-vendor \(verb.name) [options]

            \(verb.notes)

            \(options.joined(separator: "\n"))

            """
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
