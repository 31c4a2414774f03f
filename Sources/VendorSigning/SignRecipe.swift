// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// Which values one call, page or result signs: a row of ``all``.
///
/// An example: <doc:SigningCalls>.
public struct SignRecipe: Hashable, Sendable {
    /// How well a recipe is known.
    package enum Publication: String, Sendable {
        /// A vendor's page lists the values.
        case published
        /// It has no known page of its own; the values are those of similar calls.
        case inferred
    }

    /// The name here: lower case with hyphens.
    public let name: String
    /// What the vendor calls the thing that is signed.
    package let use: String
    /// What is signed besides the ticket, in the order of the vendor's tables. The order does not matter to the sign.
    public let parameters: [SignParameter]
    /// The kind of ticket that is part of the sign.
    public let ticketKind: Ticket.Kind
    /// Where the values are listed: page numbers of the vendor's documents, or `GH:` and the title of a page, or what
    /// it is about, in the older copy of them on GitHub.
    package let sources: [String]
    /// Whether the recipe is published or inferred.
    package let publication: Publication
    /// Whether a page has a correct worked example.
    package let hasPublishedExample: Bool

    /// The recipe of a name.
    ///
    /// - Throws: ``EvidenceError`` (`.unknownRecipe`).
    public init(named name: String) throws(EvidenceError) {
        guard let recipe = Self.all.first(where: { $0.name == name }) else {
            throw EvidenceError(
                .unknownRecipe, "the recipe is unknown",
                hint: "use one of: \(Self.all.map(\.name).joined(separator: ", "))")
        }
        self = recipe
    }

    private init(
        _ name: String, _ use: String, _ parameters: [SignParameter], _ ticketKind: Ticket.Kind, _ sources: [String],
        example: Bool = false, _ publication: Publication = .published
    ) {
        self.name = name
        self.use = use
        self.parameters = parameters
        self.ticketKind = ticketKind
        self.sources = sources
        self.publication = publication
        hasPublishedExample = example
    }
}

// MARK: - The table

extension SignRecipe {
    /// Whether the vendor signs and the integrator verifies. The others are requests: the integrator signs, and only
    /// the vendor's server acts on what the sign covers.
    package var isVendorsAnswer: Bool { self == .frontEndResult || self == .ocrFrontEndResult }

    /// Every recipe; see `docs/SIGN-RECIPES.md`.
    public static let all: [SignRecipe] = [
        sdkLaunch, getFaceId, getAdvFaceId, getPlusFaceId, getWillFaceId, getH5FaceId, getH5FaceIdOfPhoto, h5Launch,
        queryFaceRecord, queryPhoto, willResult, nfcCert, easyFace, idCard, ocrLaunch, ocrResult, frontEndResult,
        ocrFrontEndResult,
    ]

    // The two sets of values most recipes have, with the ticket five each.
    private static let user: [SignParameter] = [.appId, .userId, .version, .nonce]
    private static let order: [SignParameter] = [.appId, .orderNo, .version, .nonce]

    /// The app starts its SDK: enhanced, intent (意愿核身) and NFC.
    public static let sdkLaunch = SignRecipe(
        "sdk-launch", "App SDK launch (增强版, 意愿核身, NFC)", user, .nonce,
        ["1007/63358", "1007/75896", "1007/73227"],
        example: true)
    /// `getfaceid`.
    public static let getFaceId = SignRecipe(
        "get-face-id", "getfaceid (基础版 App SDK)", user, .sign, ["269/10140"], example: true)
    /// `getAdvFaceId`. Inferred: the call is named in 1007/61074, its sibling pages all sign these values.
    public static let getAdvFaceId = SignRecipe(
        "get-adv-face-id", "getAdvFaceId", user, .sign, ["1007/61074"], .inferred)
    /// `getPlusFaceId`, for the app SDK and H5.
    public static let getPlusFaceId = SignRecipe(
        "get-plus-face-id", "getPlusFaceId (App SDK, H5)", user, .sign, ["1007/114144", "1007/114177"], example: true)
    /// `getWillFaceId`, for the app SDK and H5.
    public static let getWillFaceId = SignRecipe(
        "get-will-face-id", "getWillFaceId (意愿核身, App SDK and H5)", user, .sign, ["1007/75895", "1007/77305"],
        example: true)
    /// `geth5faceid`: no nonce.
    public static let getH5FaceId = SignRecipe(
        "get-h5-face-id", "geth5faceid", [.appId, .orderNo, .name, .idNo, .userId, .version], .sign,
        ["655/32412", "GH:合作方后台上送身份信息"], example: true)
    /// `geth5faceid` with the integrator's own photo, without name and number. Inferred: values that do not exist are
    /// dropped.
    public static let getH5FaceIdOfPhoto = SignRecipe(
        "get-h5-face-id-of-photo", "geth5faceid with only a photo of your own", [.appId, .orderNo, .userId, .version],
        .sign,
        ["GH:合作方后台上送身份信息"], .inferred)
    /// The H5 page is opened. The enhanced and Plus pages call `h5faceId` `faceId`.
    public static let h5Launch = SignRecipe(
        "h5-launch", "H5 launch (基础版, PC, 增强版, Plus)",
        [.appId, .userId, .orderNo, .version, .h5faceId, .nonce], .nonce,
        ["1007/35884", "1007/35894", "655/32413", "1007/61074", "1007/114178"], example: true)
    /// `queryfacerecord`, and the older query `api/server/sync`.
    public static let queryFaceRecord = SignRecipe(
        "query-face-record", "queryfacerecord, api/server/sync", order, .sign,
        ["655/13835", "655/32052", "1007/114166", "1007/114181", "1007/35880"])
    /// `queryphotoinfo`.
    public static let queryPhoto = SignRecipe("query-photo", "queryphotoinfo", order, .sign, ["655/32419"])
    /// `getWillFaceResult`.
    public static let willResult = SignRecipe("will-result", "getWillFaceResult", order, .sign, ["1007/77309"])
    /// `getOcrCertId` (实证 NFC).
    public static let nfcCert = SignRecipe(
        "nfc-cert", "getOcrCertId (实证 NFC)", order, .sign, ["1007/73391"], example: true)
    /// A selfie is compared with an identity.
    public static let easyFace = SignRecipe(
        "easy-face", "easyface photo compare", order, .sign, ["655/17455", "1007/35918"], example: true)
    /// The ID-card interface.
    public static let idCard = SignRecipe(
        "id-card", "ID-card interface", order, .sign, ["1007/35920", "655/17461"], example: true)
    /// The app starts its OCR SDK.
    public static let ocrLaunch = SignRecipe(
        "ocr-launch", "OCR SDK launch", user, .nonce, ["655/32172", "1007/35846"], example: true)
    /// `getOcrResult` and `getBankCardOcrResult`.
    public static let ocrResult = SignRecipe(
        "ocr-result", "getOcrResult, getBankCardOcrResult", order, .sign, ["1007/35859"])
    /// The result the SDK or the H5 page hands over: `sign`, `newSignature` or `newSign`. No nonce and no version.
    public static let frontEndResult = SignRecipe(
        "front-end-result", "front-end result (App SDK sign; H5 newSignature, newSign)", [.appId, .orderNo, .code],
        .sign,
        ["1007/35897", "1007/35895", "655/18936", "GH:前端获取结果验证签名"], example: true)
    /// The result of the older OCR SDKs. The example on its two pages does not match the printed sign.
    public static let ocrFrontEndResult = SignRecipe(
        "ocr-front-end-result", "OCR front-end result (old)", [.appId, .orderNo], .sign,
        ["GH:old ID-card OCR page", "GH:old bank-card OCR page"])
}

// MARK: - With values: what an app, a page and a result sign

extension SignRecipe {
    /// ``sdkLaunch`` with its values.
    public static func sdkLaunch(appId: String, userId: String, nonce: String, version: String = "1.0.0") -> SignInput {
        SignInput(sdkLaunch, [.appId: appId, .userId: userId, .nonce: nonce, .version: version])
    }

    /// ``h5Launch`` with its values.
    package static func h5Launch(
        appId: String, userId: String, orderNo: String, h5faceId: String, nonce: String, version: String = "1.0.0"
    ) -> SignInput {
        SignInput(
            h5Launch,
            [
                .appId: appId, .userId: userId, .orderNo: orderNo, .h5faceId: h5faceId, .nonce: nonce,
                .version: version,
            ])
    }

    /// ``frontEndResult`` with its values. To verify one, give the order number *you* are waiting for.
    public static func frontEndResult(appId: String, orderNo: String, code: String) -> SignInput {
        SignInput(frontEndResult, [.appId: appId, .orderNo: orderNo, .code: code])
    }
}
