// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
public import EvidenceErrors
public import VendorSigning
public import VendorTypes

/// The URL of a verification on a page, for the user's own browser, which opens it once.
///
/// The first visit uses it up, so no server, preview or prefetching browser may open it (GH:启动 H5 人脸核身). So
/// redirect to it from a URL of your own that only the logged-in user can open.
public struct H5Launch: Sendable, Concealed {
    /// The kind of page.
    public enum Page: Sendable {
        /// On a phone (`/api/web/login`).
        ///
        /// - `isInApp`: in an app's web view, not in a browser (`from`).
        /// - `skipsResult`: returns at once, without the vendor's result page (`resultType`).
        /// - `replacesHistory`: the browser's back button does not return to it (`redirectType`).
        case mobile(isInApp: Bool = false, skipsResult: Bool = false, replacesHistory: Bool = false)
        /// On a PC (`/api/pc/login`): for ``FaceProduct/h5`` only.
        case pc
    }

    /// The attempt.
    package let attempt: FaceAttempt
    /// The host that the browser visits.
    public let host: VendorHost
    /// The URL, for the user's browser only. It is valid for one visit by anyone, so do not log it.
    public let urlForTheBrowser: String

    /// The launch of an attempt.
    ///
    /// - Parameters:
    ///   - faceId: the vendor's answer for this attempt.
    ///   - page: which page, and how it behaves.
    ///   - url: where the browser comes back to.
    ///   - fallbackHost: the host to use if that answer named none.
    ///   - ticket: a NONCE ticket of this user's; it is used up.
    ///   - nonce: for tests; random by default.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.value` for a face id that is too old or of a product that has no such page;
    ///   `.ticketKind`, `.ticketExpired`, `.ticketUsed`, `.openSSL`.
    public init(
        _ faceId: FaceId, on page: Page = .mobile(), returningTo url: ReturnURL,
        fallbackHost: VendorHost = .launchFallback, signedWith ticket: Ticket, nonce: SignNonce? = nil,
        at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        try faceId.requireAlive(at: now)
        let isPC = if case .pc = page { true } else { false }
        guard faceId.product.hasPage, !isPC || faceId.product == .h5 else {
            throw EvidenceError(.value, "the product \(faceId.product.rawValue) has no such page")
        }
        let nonce = if let nonce { nonce } else { try SignNonce.generate() }
        let attempt = faceId.attempt
        let sign = try SignRecipe.h5Launch(
            appId: attempt.appId.value, userId: attempt.userId.value, orderNo: attempt.orderNo.value,
            h5faceId: faceId.value, nonce: nonce.value
        ).sign(with: ticket, at: now)
        var query = [
            ("appId", attempt.appId.value), ("version", apiVersion), ("nonce", nonce.value),
            ("orderNo", attempt.orderNo.value), (faceId.product == .h5 ? "h5faceId" : "faceId", faceId.value),
            ("url", url.value),
        ]
        if case .mobile(let isInApp, let skipsResult, let replacesHistory) = page {
            if skipsResult { query.append(("resultType", "1")) }
            query.append(("from", isInApp ? "App" : "browser"))
            if replacesHistory { query.append(("redirectType", "1")) }
        }
        query += [("userId", attempt.userId.value), ("sign", sign.description)]
        let host = faceId.optimalHost ?? fallbackHost
        let none: [UInt8] = []
        let request = VendorRequest(
            .get, host, isPC ? "/api/pc/login" : "/api/web/login", query: query, secret: none.span)
        urlForTheBrowser = request.withExposedURL { url in
            String(decoding: url.indices.map { url[$0] }, as: UTF8.self)
        }
        self.attempt = attempt
        self.host = host
    }

    /// The host, not the address.
    public var description: String { "launch at \(host)" }
}
