// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
public import VendorDocuments
public import VendorTypes

/// The result that the SDK returns to the app at the end of a verification.
///
/// A result from a client is an ``UnverifiedFaceVerifyResult`` until its sign is checked. Sources: the iOS result
/// document, WBFaceVerifyResult.h.
public struct WBFaceVerifyResult: Equatable, Sendable {
    /// How a verification ended.
    public enum Outcome: Equatable, Sendable {
        /// The person passed.
        case passed(Passed)
        /// The person did not pass, or nobody was judged.
        case failed(WBFaceError)
    }

    /// The values that only a pass has.
    public struct Passed: Equatable, Sendable {
        /// The server's sign over appId, orderNo and code 0; `nil` where a wrapper dropped it.
        public let sign: String?
        /// The liveness score.
        package let liveRate: FaceScore
        /// The comparison score; absent for "liveness only".
        package let similarity: FaceScore

        /// A pass with these values.
        public init(sign: String?, liveRate: FaceScore = .absent, similarity: FaceScore = .absent) {
            self.sign = sign
            self.liveRate = liveRate
            self.similarity = similarity
        }
    }

    /// The order; `nil` if a wrapper dropped it.
    public let orderNo: OrderNumber?
    /// The outcome.
    public let outcome: Outcome
    /// One of the compared images: base64 of a JPEG. A failed result may also have one if the server judged.
    package let userImageString: FieldText?
    /// The additions of simple mode.
    public let simpleModeResult: WBFaceSimpleModeResult?
    /// The additions of the enhanced SDK.
    public let riskInfo: WBFaceRiskInfo?
    /// What an intent check adds.
    public let willModeResult: WBFaceWillModeResult?

    /// A result of these parts.
    public init(
        orderNo: OrderNumber?, outcome: Outcome, userImageString: FieldText? = nil,
        simpleModeResult: WBFaceSimpleModeResult? = nil, riskInfo: WBFaceRiskInfo? = nil,
        willModeResult: WBFaceWillModeResult? = nil
    ) {
        self.orderNo = orderNo
        self.outcome = outcome
        self.userImageString = userImageString
        self.simpleModeResult = simpleModeResult
        self.riskInfo = riskInfo
        self.willModeResult = willModeResult
    }

    /// Whether the person passed.
    public var isSuccess: Bool {
        if case .passed = outcome { true } else { false }
    }

    /// Why the person did not pass; `nil` for a pass.
    public var error: WBFaceError? {
        if case .failed(let error) = outcome { error } else { nil }
    }
}

/// The additions of simple mode to a result: two sealed pairs, opened by `PayloadOpener`.
public struct WBFaceSimpleModeResult: Equatable, Sendable {
    /// The order; Android has none here.
    package let orderNo: OrderNumber?
    /// The wrapped key of `identifyStr`, for the comparing service.
    package let encryptAESKey: FieldText?
    /// The video: sealed if `videoEncryptAESKey` is present, plain base64 if not.
    public let userVideoString: FieldText?
    /// The wrapped key of the video; Android calls it `userEncryptKey`.
    package let videoEncryptAESKey: FieldText?
    /// The sealed data for the comparing service.
    package let identifyStr: FieldText?

    /// A simple-mode result of these parts.
    package init(
        orderNo: OrderNumber?, encryptAESKey: FieldText? = nil, userVideoString: FieldText? = nil,
        videoEncryptAESKey: FieldText? = nil, identifyStr: FieldText? = nil
    ) {
        self.orderNo = orderNo
        self.encryptAESKey = encryptAESKey
        self.userVideoString = userVideoString
        self.videoEncryptAESKey = videoEncryptAESKey
        self.identifyStr = identifyStr
    }
}

/// What an intent check (意愿核身) adds to a result.
public struct WBFaceWillModeResult: Hashable, Sendable, Codable {
    /// The code of the face verification.
    package let faceCode: String?
    /// Its message.
    package let faceMsg: String?
    /// The code of the spoken or nodded answer.
    package let willCode: String?
    /// Its message.
    package let willMsg: String?
    /// The location of the video on the phone; Android calls it `videoPath`.
    package let videoURL: String?

    /// Whether one of the two codes is present and is not that of a pass, `0`.
    package var hasFailed: Bool { [faceCode, willCode].contains { $0 != nil && $0 != "0" } }

    /// Whether both codes are present and are that of a pass, `0`.
    public var isPassed: Bool { faceCode == "0" && willCode == "0" }

    /// The result of an intent check, from its parts.
    package init(
        faceCode: String?, faceMsg: String? = nil, willCode: String?, willMsg: String? = nil, videoURL: String? = nil
    ) {
        self.faceCode = faceCode
        self.faceMsg = faceMsg
        self.willCode = willCode
        self.willMsg = willMsg
        self.videoURL = videoURL
    }
}

extension Interpretation {
    /// Reads a result from inside its wrapper, if any.
    mutating func verifyResult(_ root: DocumentValue) throws(EvidenceError) -> WBFaceVerifyResult {
        let envelope = FieldName.envelopes.first { $0.isAround(root) }
        let result = if let envelope { try wrappedResult(inside: envelope, root) } else { try plainResult(root) }
        if case .passed(let passed) = result.outcome {
            // An error that says nothing contradicts nothing, but has no other name, either.
            let object = envelope.flatMap { root.member($0.carrier) } ?? root
            do throws(EvidenceError) {
                try noteContradictions(
                    in: root,
                    beside: [
                        (.orderNo, result.orderNo?.value), (.liveRate, passed.liveRate.text),
                        (.similarity, passed.similarity.text),
                    ] + (result.riskInfo?.members ?? []), inside: envelope)
            } catch {
                // What is refused is not undecided.
                if error.code == .undecided { _ = try value(.error, of: object) }
                throw error
            }
            _ = try value(.error, of: object)
        }
        return result
    }

    private mutating func wrappedResult(
        inside envelope: FieldName.Envelope, _ root: DocumentValue
    ) throws(EvidenceError) -> WBFaceVerifyResult {
        guard let carrier = root.member(envelope.carrier) else { return try plainResult(root) }
        try repair(.envelope, carrier)
        if envelope.mark == "code" { return try result(in: carrier, besideCodeOf: root) }
        guard carrier.isObject else { throw carrier.noObject }
        return root.member("scene")?.text == FieldName.loginFailureScene
            ? try loginFailure(carrier) : try plainResult(carrier, isCarried: true)
    }

    /// uni-app's form of the error that the login's failure block gets: without a result, and never a pass.
    private mutating func loginFailure(_ object: DocumentValue) throws(EvidenceError) -> WBFaceVerifyResult {
        if try success(of: object, isResult: true) != nil {
            let result = try plainResult(object, isCarried: true)
            guard !result.isSuccess else {
                throw object.fault(.ambiguous, "the login failed, but success says that the person passed")
            }
            return result
        }
        var failure = try error(of: object)
        if failure == nil { failure = try nestedError(object) }
        return WBFaceVerifyResult(
            orderNo: try orderNo(of: object), outcome: .failed(failure ?? WBFaceError(domain: nil, code: nil)),
            riskInfo: try riskInfo(of: object, orOf: object.member(FieldName.error)))
    }

    /// `{"code": 200, "description", "errorReason", "verifyResult"}`: the code is 200 for a pass, else the error's.
    private mutating func result(
        in carrier: DocumentValue, besideCodeOf root: DocumentValue
    ) throws(EvidenceError) -> WBFaceVerifyResult {
        guard let code = try code(.code, of: root) else { throw root.fault(.missing, "code is missing") }
        let isSuccess = code == "200"
        if case .null = carrier.content {
            guard !isSuccess else { throw carrier.fault(.ambiguous, "a pass without a result") }
            return WBFaceVerifyResult(orderNo: nil, outcome: .failed(try nestedError(root)))
        }
        guard carrier.isObject else { throw carrier.noObject }
        let result = try plainResult(carrier, isCarried: true, else: isSuccess ? nil : nestedError(root))
        guard result.isSuccess == isSuccess else {
            throw carrier.fault(.ambiguous, "code and success contradict each other")
        }
        return result
    }

    private mutating func plainResult(
        _ object: DocumentValue, isCarried: Bool = false, else outerError: WBFaceError? = nil
    ) throws(EvidenceError) -> WBFaceVerifyResult {
        guard let isSuccess = try success(of: object, isResult: isCarried) else {
            let isPayload = FieldName.ofPayloadAlone.contains { object.member($0) != nil }
            throw object.fault(
                .missing,
                "\(FieldName.isSuccess) is absent: "
                    + (isPayload
                        ? "this is only the payload, not the result that contains it"
                        : object.has(FieldName.isSuccess.vendor.lowercased())
                            ? "the document has it in lower case alone, as some bridges write it"
                            : "the result does not say whether the person passed"),
                hint: object.has(FieldName.isSuccess.vendor)
                    ? "ask the vendor's server: queryfacerecord" : object.innerDocumentHint ?? object.lowerCaseHint)
        }
        try noteLookAlikes(of: .result, in: object)
        let simpleMode = try self.object(.simpleModeResult, of: object)
        let inner = try simpleMode.map { value throws(EvidenceError) in
            try refuseFields(beside: value, in: object)
            return try simpleModeResult(value)
        }
        let orderNo = try orderNo(of: object)
        if let orderNo, let other = inner?.orderNo, orderNo != other {
            throw object.fault(
                .ambiguous, "the result and its \(FieldName.simpleModeResult) have different order numbers")
        }
        // Android puts the image into the simple-mode object.
        let outerImage = try longText(.userImageString, of: object)
        let innerImage = try simpleMode.flatMap { value throws(EvidenceError) in
            try longText(.userImageString, of: value)
        }
        guard outerImage == nil || innerImage == nil else {
            throw object.fault(
                .ambiguous, "the result and its \(FieldName.simpleModeResult) both have \(FieldName.userImageString)")
        }
        let outcome: WBFaceVerifyResult.Outcome
        if isSuccess {
            outcome = .passed(
                WBFaceVerifyResult.Passed(
                    sign: try text(.sign, of: object), liveRate: try score(.liveRate, of: object),
                    similarity: try score(.similarity, of: object)))
        } else {
            let error = try error(of: object) ?? outerError
            outcome = .failed(error ?? WBFaceError(domain: nil, code: nil))
        }
        return WBFaceVerifyResult(
            orderNo: orderNo ?? inner?.orderNo, outcome: outcome,
            userImageString: outerImage ?? innerImage, simpleModeResult: inner,
            riskInfo: try riskInfo(of: object, orOf: object.member(FieldName.error)),
            willModeResult: try willModeResult(of: object))
    }

    /// Two readers could take the payload from two different places.
    private func refuseFields(beside simpleMode: DocumentValue, in object: DocumentValue) throws(EvidenceError) {
        for name in FieldName.ofPayloadAlone.flatMap(\.all) {
            guard let value = object.member(name), !value.isBlank else { continue }
            throw value.fault(
                .ambiguous, "both the result and its \(FieldName.simpleModeResult) carry simple-mode fields")
        }
    }

    mutating func simpleModeResult(_ object: DocumentValue) throws(EvidenceError) -> WBFaceSimpleModeResult {
        try noteLookAlikes(of: .simpleModeResult, in: object)
        return WBFaceSimpleModeResult(
            orderNo: try orderNo(of: object), encryptAESKey: try longText(.encryptAESKey, of: object),
            userVideoString: try longText(.userVideoString, of: object),
            videoEncryptAESKey: try longText(.videoEncryptAESKey, of: object),
            identifyStr: try longText(.identifyStr, of: object))
    }

    private mutating func willModeResult(of object: DocumentValue) throws(EvidenceError) -> WBFaceWillModeResult? {
        guard let value = try self.object(.willModeResult, of: object) else { return nil }
        try noteLookAlikes(of: .willModeResult, in: value)
        return WBFaceWillModeResult(
            faceCode: try code(.faceCode, of: value), faceMsg: try text(.faceMsg, of: value),
            willCode: try code(.willCode, of: value), willMsg: try text(.willMsg, of: value),
            videoURL: try text(.videoURL, of: value))
    }
}

// MARK: - Writing

extension WBFaceVerifyResult {
    /// Writes the result as JSON: the vendor's names in a fixed order, without absent fields.
    ///
    /// - Parameters:
    ///   - source: the source from which the result was read, for its long fields. A result that was made, not
    ///     read, has none; then any source will do.
    ///   - destination: gets the JSON.
    /// - Throws: ``EvidenceError`` (`.cannotRead`; `.changed` when the source has changed).
    package func write(from source: any ByteSource, into destination: any ByteDestination) throws(EvidenceError) {
        var writer = ResultWriter(source, destination)
        writer.beginObject(nil)
        writer.bool(.isSuccess, isSuccess)
        writer.short(.orderNo, orderNo?.value)
        switch outcome {
        case .passed(let passed):
            writer.short(.sign, passed.sign)
            writer.short(.liveRate, passed.liveRate.text)
            writer.short(.similarity, passed.similarity.text)
        case .failed(let error):
            writer.beginObject(.error)
            writer.short(.domain, error.domain?.rawValue)
            writer.short(.code, error.code)
            writer.short(.desc, error.desc)
            writer.short(.reason, error.reason)
            writer.endObject()
        }
        try writer.text(.userImageString, userImageString)
        if let simpleModeResult {
            writer.beginObject(.simpleModeResult)
            writer.short(.orderNo, simpleModeResult.orderNo?.value)
            try writer.text(.encryptAESKey, simpleModeResult.encryptAESKey)
            try writer.text(.videoEncryptAESKey, simpleModeResult.videoEncryptAESKey)
            try writer.text(.userVideoString, simpleModeResult.userVideoString)
            try writer.text(.identifyStr, simpleModeResult.identifyStr)
            writer.endObject()
        }
        if let riskInfo {
            writer.beginObject(.riskInfo)
            for (name, value) in riskInfo.members { writer.short(name, value) }
            writer.endObject()
        }
        if let willModeResult {
            writer.beginObject(.willModeResult)
            writer.short(.faceCode, willModeResult.faceCode)
            writer.short(.faceMsg, willModeResult.faceMsg)
            writer.short(.willCode, willModeResult.willCode)
            writer.short(.willMsg, willModeResult.willMsg)
            writer.short(.videoURL, willModeResult.videoURL)
            writer.endObject()
        }
        writer.endObject()
        try writer.finish()
    }
}

/// Writes JSON objects, long strings copied from their source.
private struct ResultWriter {
    private let source: any ByteSource
    private let destination: any ByteDestination
    private var writer = JSONWriter()

    init(_ source: any ByteSource, _ destination: any ByteDestination) {
        self.source = source
        self.destination = destination
    }

    mutating func beginObject(_ name: FieldName?) { writer.beginObject(name?.vendor) }

    mutating func endObject() { writer.endObject() }

    mutating func bool(_ name: FieldName, _ value: Bool) { writer.bool(name.vendor, value) }

    mutating func short(_ name: FieldName, _ value: String?) { writer.string(name.vendor, value) }

    mutating func text(_ name: FieldName, _ value: FieldText?) throws(EvidenceError) {
        guard let value else { return }
        if let short = value.text { return self.short(name, short) }
        writer.beginString(name.vendor)
        try value.forEachRun(in: source) { run throws(EvidenceError) in
            appendJSONContent(run, to: &writer.json)
            try destination.take(&writer.json)
        }
        writer.endString()
    }

    mutating func finish() throws(EvidenceError) {
        try destination.take(&writer.json)
        try destination.finish()
    }
}
