// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit
import VendorClient
import VendorHTTP
import VendorServer

/// What the verbs do.
enum Calls {
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
        guard arguments[.kind] == Ticket.Kind.sign.rawValue || arguments[.nonceUserId] != nil else {
            throw CommandError(
                .usage, "a NONCE ticket is for one user: it needs \(Option.nonceUserId.spelling)",
                hint: "give the id of the user who will use it")
        }
        // Before the call: a NONCE ticket without an output would be lost.
        let file = try WholeFile(path: arguments.required(.ticketOutput))
        let keeper = try keeper(arguments)
        let ticket =
            arguments[.kind] == Ticket.Kind.sign.rawValue
            ? try await keeper.signTicket()
            : try await keeper.nonceTicket(
                for: FaceAttempt(appId: keeper.appId, userId: arguments.parseRequired(.nonceUserId, UserId.init)))
        try ticket.withExposedValue { value in try file.write(value) }
        try file.finish()
    }

    /// Finished when the program is told to stop.
    static let (stopped, stop) = AsyncStream<Never>.makeStream()
    /// How long a renewal that has begun may take when the program is told to stop.
    private static let drain = Duration.seconds(15)

    static func keep(_ arguments: Arguments) async throws {
        let tickets = TicketFolder(path: try arguments.required(.folder))
        let folder = try FolderKeeper(try keeper(arguments), tickets)
        guard !arguments.has(.once) else {
            guard try await folder.once() else { throw notRenewed }
            return
        }
        Terminal.say("keeping \(tickets.path)")
        let work = Task {
            await folder.run { event in
                switch event {
                case .wrote: Terminal.say("wrote the current ticket")
                case .failed(let error, let pause):
                    Terminal.fail(
                        CommandError(.system, "\(error)", hint: error.hint ?? hintOfVendor(error), code: error.code))
                    Terminal.say("trying again in \(pause.components.seconds) s")
                }
            }
        }
        for await _ in stopped {}
        work.cancel()
        // Whoever waits for the vendor longer than that does not keep the process.
        let (ended, end) = AsyncStream<Void>.makeStream()
        Task {
            await work.value
            end.yield()
        }
        Task {
            try? await Task.sleep(for: drain)
            end.yield()
        }
        for await _ in ended { break }
    }

    private static let notRenewed = CommandError(
        .system, "the token or ticket is due for renewal, but that failed, or another process is doing it",
        hint: "try again in half a minute; until then, calls use the current ones")

    static func faceId(_ arguments: Arguments) async throws {
        let product = FaceProduct.withoutIntent.first { $0.rawValue == arguments[.product] } ?? .enhanced
        // Before the order number is used.
        guard arguments[.bundle] == nil || product != .h5 else {
            throw CommandError(
                .usage, "--bundle: the product h5 is launched on a page, not in an app",
                hint: "give --launch FILE --return-url URL instead")
        }
        guard arguments[.launch] == nil || product != .basic else {
            throw CommandError(
                .usage, "--launch: the product \(product.rawValue) is launched in an app, not on a page",
                hint: "give --bundle FILE instead")
        }
        guard arguments[.launch] == nil || arguments[.bundle] == nil else {
            throw CommandError(
                .usage, "--bundle and --launch exclude each other: a face id is launched once",
                hint: "give --bundle for the app, or --launch with --return-url for the browser")
        }
        guard (arguments[.launch] == nil) == (arguments[.returnURL] == nil) else {
            throw CommandError(
                .usage, "--launch and --return-url need each other", hint: "give both, or leave both out")
        }
        let back = try arguments.parse(.returnURL) { try ReturnURL($0) }
        let launchHost = try arguments.parse(.host) { try VendorHost($0) } ?? .launchFallback
        let (bundle, launch) = (try arguments.output(.bundle), try arguments.output(.launch))
        let claimed = try arguments.parse(.identity, identity)
        let photo = try arguments.parse(.sourcePhoto) { path in
            try SourcePhoto(FileSource(path: path).readAll(limit: 500 << 10, name: path), .clear)
        }
        let client = VendorClient(try keeper(arguments))
        let attempt = FaceAttempt(
            appId: client.keeper.appId, userId: try arguments.parseRequired(.userId, UserId.init),
            orderNo: try arguments.parse(.newOrderNo, OrderNumber.init) ?? .generate())
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
        let answer = try arguments.output(.answer)
        let (photo, video) = (try arguments.output(.photo), try arguments.output(.video))
        let client = VendorClient(try keeper(arguments))
        let attempt = FaceAttempt(
            appId: client.keeper.appId, userId: try arguments.parseRequired(.userId, UserId.init),
            orderNo: try arguments.parseRequired(.orderNo, OrderNumber.init))
        let files: RecordFiles =
            switch (photo, video) {
            case (nil, nil): .none
            case (_, nil): .photo
            case (nil, _): .video
            default: .photoAndVideo
            }
        let patience = RecordPatience(verdict: .seconds(arguments[.wait].flatMap { Int($0) } ?? 0))
        let received = try await record(of: attempt, files: files, patience: patience, from: client)
        switch received.answer.verification.outcome {
        case .passed(let scores):
            let (photoBytes, videoBytes) = (MemoryDestination(), MemoryDestination())
            for (file, what, isThere) in [
                (photo, "photo", try received.writePhoto(into: photoBytes)),
                (video, "video", try received.writeVideo(into: videoBytes)),
            ] where file != nil && !isThere {
                throw CommandError(.unchecked, "passed, but the \(what) is not in the answer", hint: filesHint)
            }
            for (file, bytes) in [(photo, photoBytes.bytes), (video, videoBytes.bytes), (answer, received.body)] {
                if let file { try write(bytes, to: file) }
            }
            try Terminal.write(
                "passed\nliveRate: \(scores.liveRate.text ?? "none")\nsimilarity: \(scores.similarity.text ?? "none")\n"
            )
        case .refused(let refusal):
            if files != .none { Terminal.warn("no photo or video was written: that is done for a pass only") }
            if let answer { try write(received.body, to: answer) }
            throw CommandError(.rejected, "\(refusal)", hint: refusal.codeClass.advice)
        case .undecided(let refusal):
            throw CommandError(.unchecked, "\(refusal)", hint: refusal.codeClass.advice)
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
        let host = try arguments.parse(.host) { try VendorHost($0) } ?? .standard
        let secret = try arguments.parseRequired(.secretFile) { path in
            // A small file, without the line feed at its end.
            try AppSecret(SecretBytes(tokenIn: FileSource(path: path), name: path, called: "secret"))
        }
        return TokenKeeper(
            appId: try arguments.parseRequired(.appId, AppId.init), secret: secret,
            connection: VendorConnection(to: host, over: CurlTransport()),
            store: FileCredentialStore(path: try arguments.required(.store)))
    }

    /// The vendor's answer about an attempt. A refused token or ticket is not a verdict about a person.
    private static func record(
        of attempt: FaceAttempt, files: RecordFiles, patience: RecordPatience, from client: VendorClient
    ) async throws -> Received<FaceRecord> {
        do { return try await client.record(of: attempt, files: files, patience: patience) } catch {
            guard error.code == .refused else { throw error }
            throw CommandError(.unchecked, "\(error)", hint: error.hint ?? hintOfVendor(error))
        }
    }

    /// Two lines.
    private static func identity(_ path: String) throws -> ClaimedIdentity {
        let bytes = try FileSource(path: path).readAll(limit: 4_096, name: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(
                .usage, "--identity: the file is not UTF-8",
                hint: "convert it, from GBK for instance: iconv -f GB18030 -t UTF-8 FILE > COPY")
        }
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        guard lines.count == 2 else {
            throw CommandError(
                .usage, "--identity: the file must have two lines, the name and the number",
                hint: "write them with: printf 'NAME\\nNUMBER\\n' > FILE")
        }
        return try ClaimedIdentity(name: lines[0], idNo: lines[1])
    }
}
