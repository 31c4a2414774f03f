// SPDX-License-Identifier: Apache-2.0

/// What the files and folders of an archive are called: `docs/ARCHIVE.md` §1.
enum Layout {
    static let description = "archive.txt"
    static let lock = "lock"
    static let unfinished = "tmp"
    static let incoming = "incoming"
    static let data = "data"
    static let waiting = "\(incoming)/\(data)"
    static let bags = "bags"
    static let keys = "keys"
    static let currentKey = "current.pem"
    static let currentKeyPath = "\(keys)/\(currentKey)"
    static let statement = "statement"
    static let sealed = ".sealed"
    static let bagIt = "bagit.txt"
    static let bagInfo = "bag-info.txt"
    static let manifest = "manifest-sha256.txt"
    static let tagManifest = "tagmanifest-sha256.txt"
    static let signatures = "signatures"
    static let signature = "tagmanifest-sha256.txt.p7s"
    static let token = "tagmanifest-sha256.txt.p7s.tsr"
    /// What the key of a record is called until it is where keys are.
    static let recordKey = "key"
    /// Before the name of a record that is being erased.
    static let erasing = "erase-"
    /// Before the name of a record that is being reduced.
    static let reducing = "reduce-"
    /// The folder for what else helps to verify a bag's signature.
    static let furtherSignatures = "more"

    static let archiveFiles = [description, lock]
    static let archiveFolders = [unfinished, incoming, bags, keys]
    static let tagFiles = [bagInfo, bagIt, manifest]
    static let bagEntries = [bagInfo, bagIt, data, manifest, signatures, tagManifest]
    static let bagFolders = [data, signatures, furtherSignatures]
    static let bagItText = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"

    /// The file that a name may have been given to, of those that are not there: the name is in another case, numbered
    /// as copies are, cut short, or has an ending too many or too few.
    static func own(_ name: String, among absent: [String]) -> String? {
        var stray = name.lowercased()
        if let open = stray.firstRange(of: " ("), let close = stray[open.upperBound...].firstIndex(of: ")") {
            stray.removeSubrange(open.lowerBound...close)
        }
        let words = stray.split(separator: ".")
        let similar = absent.filter { own in
            let wanted = own.split(separator: ".")
            return stray.hasPrefix(own) || stray.count > 3 && own.hasPrefix(stray)
                || words.first == wanted.first && words.last == wanted.last
        }
        return similar.min { abs($0.count - stray.count) < abs($1.count - stray.count) }
    }

    /// Nine digits.
    static func bag(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }

    /// The number of a bag's folder; `nil` for a name that is none.
    static func bagNumber(_ name: [UInt8]) -> Int? {
        guard let number = Int(String(decoding: name, as: UTF8.self)), number > 0, name.count == 9,
            name.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return number
    }

    /// Where the token of a bag is, and what the bag's signature is called, from the archive's folder.
    static func token(ofBag bag: Int) -> String { "\(bags)/\(Self.bag(bag))/\(signatures)/\(token)" }
    static func signature(ofBag bag: Int) -> String { "\(bags)/\(Self.bag(bag))/\(signatures)/\(signature)" }

    /// Where records are, from the archive's folder.
    static func data(ofBag bag: Int?) -> String { "\(bag.map { "\(bags)/\(Self.bag($0))" } ?? incoming)/\(data)" }

    /// Where a record is, from the archive's folder.
    static func path(of record: RecordID, inBag bag: Int?) -> String { "\(data(ofBag: bag))/\(record)" }

    /// What is said of a key in the wrong place.
    static func sentence(ofKey record: RecordID, under keyID: String) -> String {
        "\(keys)/\(keyID)/\(record.shelf)/\(record) is in the folder of another archive key than the current one: "
            + rotateAgain
    }

    /// What brings a key under the current archive key: moving its file does not.
    static let rotateAgain =
        "rotate again, from that folder's private key to the current one; if the file was moved there, move it back"

    /// What is said of another archive key in the current one's place.
    static let otherKeySentence =
        "\(currentKeyPath) is not the archive key that the records name: it was replaced"

    /// What a key is called in `tmp/` while it is wrapped for a new archive key.
    static func newKey(of record: RecordID) -> String { "\(record).\(recordKey)" }

    /// The record whose new key has this file name; `nil` for another name.
    static func recordOfNewKey(_ name: String) -> RecordID? {
        RecordID(String(name.prefix(32))).flatMap { newKey(of: $0) == name ? $0 : nil }
    }

    /// The record of which a name in `tmp/` says that something was begun; `nil` for another name.
    static func record(in name: String, after head: String) -> RecordID? {
        name.hasPrefix(head) ? RecordID(String(name.dropFirst(head.count))) : nil
    }

    /// Whether a file can be in the folder of a record.
    static func isRecordFile(_ name: some Collection<UInt8>) -> Bool {
        if name.elementsEqual(statement.utf8) { return true }
        return name.count > sealed.utf8.count && name.suffix(sealed.utf8.count).elementsEqual(sealed.utf8)
            && isPartName(name.dropLast(sealed.utf8.count))
    }
}
