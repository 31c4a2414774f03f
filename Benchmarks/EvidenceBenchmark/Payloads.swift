// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidenceStreams

/// What opens payloads of a built-in profile.
func opener(_ profile: String, _ key: String) throws -> PayloadOpener {
    guard let profile = Profile.preset(named: profile) else { fatalError("no profile \(profile)") }
    return try PayloadOpener([RSAPrivateKey(contentsOf: key)], sealedAs: profile)
}

/// Opens one payload and discards the video, with as many threads as help or as given. The key is parsed before.
func open(_ profile: String, key: String, payload: String, threads: Int?) throws {
    var opener = try opener(profile, key)
    opener.threads = threads
    var byteCount: UInt64 = 0
    let time = try seconds {
        byteCount = try opener.open(from: FileSource(path: payload), into: DiscardingDestination()).byteCount
    }
    print("seconds\t\(time)\nbytes\t\(byteCount)")
}

/// Opens 1 MiB in the middle of a payload, with its key parsed: as the first part, which includes reading the whole
/// document unless there is an index of it, and as a further one.
func openPart(key: String, payload: String, indexedAt index: String?) throws {
    let key = try RSAPrivateKey(contentsOf: key)
    var bytes: [UInt8] = []
    var partTime = 0.0
    let time = try seconds {
        let (opener, file) = (PayloadOpener(key), try FileSource(path: payload))
        let video =
            if let index { try opener.parts(from: file, indexedAt: index) } else { try opener.parts(from: file) }
        let middle = video.byteCount / 2
        partTime = try seconds { try video.read(middle..<middle + 1 << 20, to: &bytes) }
    }
    print("seconds\t\(time)\npart\t\(partTime)\nbytes\t\(bytes.count)")
}
