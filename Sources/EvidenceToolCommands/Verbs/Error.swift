// SPDX-License-Identifier: Apache-2.0
internal import CommandSyntax
import EvidenceKit
internal import VendorResults

extension Verb {
    private static let domains =
        ["server", "gateway", "nfc", "superid-ios", "superid-android"]
        + WBFaceErrorDomain.known.map { String($0.rawValue.dropFirst(17)) }
    private static let domain = Option(
        "--domain", "NAME", known: domains,
        "its source: server, gateway, nfc, superid-ios, superid-android, or an SDK's domain")

    static let error = Verb(
        name: "error",
        summary: "explain an error code",
        discussion: """
            Explains a code of the face-verification SDKs, of the vendor's server and gateway, or of the older SuperID
            SDK, in English and Chinese, with the page it comes from. The same number may have several meanings; all of
            them are shown unless --domain names its source. SDK domains are given with or without WBFaceErrorDomain
            before them. The exit status is 1 if nothing is known about the code.
            """,
        options: [domain, .json],
        operands: [
            Operand("CODE", isRequired: true, known: Set(FaceErrorMeaning.table.map(\.code)).sorted(), "the code")
        ],
        examples: ["42000", "--domain CompareServer 66660004", "--json 12008"],
        run: { arguments in
            let code = arguments.operand ?? ""
            let wanted = try arguments[domain].map { name in
                guard let family = FaceCodeFamily(name: name) else {
                    throw CommandError(
                        unknown: "domain", name, among: domains, hint: "use one of: \(domains.joined(separator: ", "))")
                }
                return family
            }
            let meanings = FaceErrorMeaning.all(of: code, in: wanted)
            guard !meanings.isEmpty else {
                throw CommandError(
                    .rejected,
                    Int(code) == nil
                        ? "the code must be a number, such as 66660004"
                        : "the code \(code) is not known" + (wanted.map { " in the domain '\($0)'" } ?? ""),
                    hint: Int(code) == nil
                        ? nil
                        : wanted == nil
                            ? "ask the vendor: the SDK also passes on codes of the server that are not documented"
                            : "leave --domain out to search everywhere")
            }
            try Terminal.write(arguments.has(.json) ? FaceErrorMeaning.json(of: meanings) : text(meanings, of: wanted))
        })

    private static func text(_ meanings: [FaceErrorMeaning], of wanted: FaceCodeFamily?) -> String {
        let others = meanings.filter { $0.family != wanted }.map(\.family)
        let passedOn =
            wanted.flatMap { wanted in
                others.first.map {
                    "the domain \(wanted) forwards codes of the domain '\($0)':\n"
                }
            } ?? ""
        return passedOn
            + meanings.map { entry in
                let platform = entry.platform.map { " on \($0)" } ?? ""
                return """
                    \(entry.code) (\(entry.family)\(platform)): \(entry.meaning.english)
                        \(entry.meaning.chinese)
                        source: \(place(of: entry.source))\(entry.isBilled ? "\n    the vendor bills the call" : "")

                    """
            }.joined()
    }

    /// A source as a link. The table has a page's number on the vendor's document site, or `GH:` and
    /// the title of an older copy in the vendor's repository of documents.
    private static func place(of source: String) -> String {
        if source.hasPrefix("GH:") {
            return "\(source.dropFirst(3)), a page of github.com/tencentyun/qcloud-documents (an older copy)"
        }
        let isPage = source.allSatisfy { $0 == "/" || ("0"..."9").contains($0) }
        return isPage ? "cloud.tencent.com/document/product/\(source)" : source
    }
}
