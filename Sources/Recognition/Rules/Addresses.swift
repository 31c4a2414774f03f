// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

// Addresses and paths, and names of objects.

extension Rule {
    func dataURI(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        let isURI = text.prefix(5).map { $0 | 0x20 }.elementsEqual("data:".utf8.map { $0 | 0x20 })
        let commas = text.prefix(256).indices.filter { text[$0] == UInt8(ascii: ",") }
        // A list of codecs may have one, too.
        let last = commas.first { text[..<$0].suffix(6).map { $0 | 0x20 }.elementsEqual("base64".utf8) }
        guard let comma = isURI ? last ?? commas.first : commas.first, isURI || comma == last else { return nil }
        return .init(bytes: Array(text[(comma + 1)...]))
    }

    func base64Label(_ sample: Sample) -> KnownForm.Match? {
        sample.text.starts(with: "base64:".utf8) ? .init(bytes: Array(sample.text.dropFirst(7))) : nil
    }

    private static let folders = [
        "/data/", "/storage/", "/sdcard/", "/mnt/", "/var/", "/private/", "/tmp/", "/home/", "/users/", "/opt/",
        "/root/",
        "/usr/", "/srv/", "/volumes/", "/app/", "/upload", "/static/", "/media/", "/etc/", "/www/", "/files/",
        "/cache/",
        "/documents/", "/library/", "/android_asset/", "/system/", "/proc/", "/dev/", "/run/", "/export/", "/nfs/",
    ]

    func path(_ sample: Sample) -> KnownForm.Match? {
        let text = sample.text
        guard sample.isWhole, text.count <= Limits.pathBytes, text.count > 2, text.allSatisfy({ $0 >= 0x20 }),
            sample.scalars.isValid
        else { return nil }
        let lower = text.map { isUpper($0) ? $0 | 0x20 : $0 }
        // C:\… and \\server\…
        if isLetter(text[0]), text[1] == UInt8(ascii: ":"), [0x5C, 0x2F].contains(text[2]) { return .init() }
        if text[0] == 0x5C, text[1] == 0x5C, text.count > 4 { return .init() }
        if [Array("~/".utf8), Array("./".utf8), Array("../".utf8), Array(".\\".utf8)].contains(
            where: text.starts(with:))
        {
            return .init()
        }
        let hasExtension = endsInExtension(lower)
        // Base64 of this length has capitals, and hardly two slashes.
        let segments = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isPlain =
            segments.count > 2 && text.count < 256 && segments.dropFirst().allSatisfy { !$0.isEmpty }
            && text.allSatisfy { isDigit($0) || isLetter($0) && !isUpper($0) || [0x2F, 0x2D, 0x5F, 0x2E].contains($0) }
        if isPlain { return .init() }
        if text[0] == UInt8(ascii: "/") {
            let isKnown = Self.folders.contains { lower.starts(with: $0.utf8) }
            // Base64 may begin with a slash as well; it has neither a dot nor two capitals less than a path has.
            return found(isKnown && text.count < 512 && (hasExtension || text.count < 200) || hasExtension)
        }
        return found(hasExtension && !text.contains(where: { [0x22, 0x3C, 0x3E, 0x7B, 0x7D].contains($0) }))
    }

    private static let extensions = [
        "mp4", "mov", "m4v", "3gp", "webm", "mkv", "avi", "jpg", "jpeg", "png", "heic", "heif", "webp", "gif", "bmp",
        "bin",
        "dat", "enc", "tmp", "json", "txt", "pem", "key", "der", "p12", "pfx", "jks", "crt", "cer", "pub", "zip", "gz",
        "base64", "b64", "mpg", "mpeg", "ts", "flv", "wmv", "mp3", "aac", "keystore", "p8", "ppk", "ticket", "csv",
        "log",
    ]

    private func endsInExtension(_ lower: [UInt8]) -> Bool {
        guard let dot = lower.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let end = lower[(dot + 1)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return Self.extensions.contains { end.elementsEqual($0.utf8) }
    }

    func objectName(_ text: [UInt8]) -> Bool {
        // `Swift.Foo` is a name; a host or a file's name is none.
        text.first == 0x3C || text.starts(with: "Optional(<".utf8) || text.contains(0x28)
            || text.starts(with: "Swift.".utf8) || text.starts(with: "0x".utf8)
    }
}
