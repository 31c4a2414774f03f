// SPDX-License-Identifier: Apache-2.0
internal import CommandInputs
internal import CommandSyntax
internal import VendorTypes

extension Topic {
    static let opening = Topic(
        name: "opening", summary: "what opening a payload shows, and parts of it",
        text: """
            The payload may be the simple-mode object or a whole result that contains it as
            \(FieldName.simpleModeResult). Nothing is written until all of it has been read and its tag verified, and a
            failed run leaves no file. Opening shows that the content is intact and was sealed for the order number in
            the payload, not who sealed it: anyone who has the public key can. A video sealed as evidence-v2 commits to
            its key: it cannot open as a different video under a different key.

            decrypt --range extracts a part of a video sealed as evidence-v2. The payload is read once to its end, but
            only that part and the last chunk are opened. The output is intact and comes from this place in the video;
            other parts may be damaged. If the video's JSON string has an escape sequence, parts cannot be extracted.

            decrypt --stream writes a video sealed as evidence-v2 while it is read, to a player behind a pipe, for
            example. Each chunk that is written is intact; only the exit status says whether the video is complete. With
            1, what a pipe has received is a verified beginning, not the whole; no file of -o is written then.

            decrypt --field \(FieldName.identifyStr) opens, with the comparing service's private key, the statement that
            ties photo, video, order and time together; check compares it with the rest. With the profile of another
            sender, the content of the field is written whatever it is.

            --json prints a report once the file after -o is complete: the order, the number of bytes, and what a tag
            covers (order, content or none), and which names were read that are not the vendor's common ones, such as
            \(FieldName.androidKey) of its Android SDK. Report and content cannot both go to standard output, so give
            -o FILE.
            """,
        options: ReadingOption.all)

    static let verdicts = Topic(
        name: "verdicts", summary: "what check examines, and what its verdict means",
        text: """
            The items: that the result claims a pass of the expected order (result, order); its sign; the photo; the
            video; the statement in identifyStr and its bindings (statement.order, .app, .user, .photo, .video, .scores,
            .moment); with --device-key, the device that sent it (device); with --answer, the vendor's answer (answer).

            What holds has a strength: well-formed (its structure is valid, which anyone can achieve), intact (byte for
            byte what was sealed), bound (named by a statement, a sign or a device's signature that was itself
            verified), signed (by the registered device key). Nothing is ever "authentic": anyone with the public keys
            can make such a result, so the line "origin" says "not proven". Ask the vendor's server (queryfacerecord).
            The verdict "holds" says that the requirements hold, and no more.

            With --device-key, the device's signature must be made with one of these keys, for this order, --app-id and
            --challenge, and every field must be as it was signed; fields that it does not cover are listed. It shows
            which installation of the app sent these bytes, not that its camera took them, nor that a living face was in
            front of it. Your own records must show whether the challenge was used before. Ask for this item with
            --require default,device.

            With --answer, what the vendor's server answered about the order is compared with the result (answer). The
            item is only stated: nothing in an answer shows who wrote it, so trust it as you trust the way on which you
            fetched it. It fails if the two contradict each other: another order or appId, another verdict, another
            score. An answer that says nothing about the person leaves it unchecked.

            A result that another reader could read differently is refused: one with a name that differs from a known
            one only in case, underscores, hyphens, blanks or invisible characters; and one in which, at the top level
            or in the vendor's own objects, a known member contradicts the pass. Names and values as a wrapper spells
            them are also refused, unless --repair names the spelling.

            With --extract, a PNG photo, too, is named photo.jpg; the report names its format. With --html, the page has
            the digests of the opened content, and computes those of files that are dropped on it. It contains neither
            photo nor video unless --show asks for them.

            Under a profile without a tag, and under PKCS#1 v1.5 or RSA without padding, strangers who can send results
            and see which of them fail, or how long that takes, can open what others sealed; the command then prints a
            warning. If the video does not open, diagnose finds out how it is sealed.
            """)

    static let results = Topic(
        name: "results", summary: "what else a result that assemble makes can have",
        text: """
            With --device-key and --challenge, the result is signed as a phone's hardware key would sign it, at the time
            of --captured-at (deviceSignature, docs/FORMATS.md section 7). Scores and risks are written as given, as the
            vendor would write them; by default they are left out.
            """,
        options: Verb.resultOptions)
}
