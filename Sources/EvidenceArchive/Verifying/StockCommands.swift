// SPDX-License-Identifier: Apache-2.0
internal import DocumentSigning
internal import EvidenceCrypto

/// The commands that find out the same with stock tools, from a bag's folder.
enum StockCommands {
    static let content = "sha256sum -c --strict --quiet \(Layout.manifest)"
    static let info = "bagit.py --validate ."

    static var tags: String { "sha256sum \(Layout.tagFiles.joined(separator: " ")) | cmp - \(Layout.tagManifest)" }

    static func chain(_ number: Int, _ reading: BagInfo.Reading) -> String {
        var files = number > 1 ? "../\(Layout.bag(number - 1))/\(Layout.tagManifest)" : "../../\(Layout.description)"
        if let skip = reading.link.skip { files += " ../\(Layout.bag(skip.bag))/\(Layout.tagManifest)" }
        if case .info(let info) = reading, let token = info.token {
            files += " ../\(Layout.bag(token.bag))/\(Layout.signatures)/\(Layout.token)"
        }
        return "sha256sum \(files); grep -e Previous -e Skip \(Layout.bagInfo)"
    }

    static func anchor(_ number: Int) -> String {
        "(cd ../\(Layout.bag(number - 1)) && find \(Layout.signatures) -type f ! -path "
            + "\(Layout.signatures)/\(Layout.token) | LC_ALL=C sort | xargs sha256sum | sha256sum); "
            + "grep Previous-Signatures \(Layout.bagInfo)"
    }

    static func signature(at moment: Int64?) -> String {
        "openssl cms -verify -binary -cades -auth_level 2 -inform DER -in \(Layout.signatures)/\(Layout.signature) "
            + "-content \(Layout.tagManifest) -CAfile signer-ca.pem -no-CApath -no-CAstore -out /dev/null"
            + (moment.map { " -attime \($0)" } ?? "")
    }

    static let signer =
        "openssl cms -verify -noverify -binary -inform DER -in \(Layout.signatures)/\(Layout.signature) -content "
        + "\(Layout.tagManifest) -signer /dev/stdout -out /dev/null | openssl x509 -noout -pubkey | "
        + "openssl pkey -pubin -outform DER | sha256sum"

    static func token(_ stamped: Int, of number: Int, at time: TimeStampReply.Time?) -> String {
        let file = "\(stamped == number ? "" : "../\(Layout.bag(stamped))/")\(Layout.signatures)/\(Layout.signature)"
        return "openssl ts -verify -auth_level 2 -data \(file) -in \(file).tsr -CAfile tsa-ca.pem"
            + (time.map { " -attime \($0.seconds)" } ?? "")
    }

    static func record(_ record: RecordID) -> String {
        "grep data/\(record)/ \(Layout.manifest) | sha256sum -c --strict"
    }

    /// Prints what is changed, missing or too much in the folder of a bag's records, or of one of them.
    static func files(in folder: String = Layout.data) -> String {
        "! (grep ' \(folder)/' \(Layout.manifest); find \(folder) ! -type d -exec sha256sum {} +) | sort | uniq -u | "
            + "grep ."
    }

    /// In the folder of a proof pack.
    static func parts(_ record: RecordID) -> String {
        "cat salts/PART parts/PART | sha256sum; grep PART bag/data/\(record)/\(Layout.statement)"
    }
}
