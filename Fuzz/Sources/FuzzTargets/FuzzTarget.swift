// SPDX-License-Identifier: Apache-2.0
/// One parser or state machine, and what must hold for any input.
///
/// A new one is a file like the others in this folder and a name in ``all``. Its seeds are in `Fuzz/Corpus/NAME`, what
/// it once failed on in `Fuzz/Regressions/NAME`, words that help it in `Fuzz/Dictionaries/NAME.dict`.
public struct FuzzTarget: Sendable {
    /// The name on the command line and of its folders.
    public let name: String
    /// Throws ``Broken`` if something does not hold.
    public let check: @Sendable ([UInt8]) throws -> Void

    /// Every target.
    public static let all: [FuzzTarget] = [
        base64, kernels, json, payload, envelope, chunks, ranges, diagnose, result, media, superID, profile, key,
        callback, vendor, identify, device, jws, arguments, batch, page, archive, outline,
        signature, sealedChunks, sealedStatement, signedManifest, sealedParts, recognise,
    ]

    /// The target of a name.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Something that must hold does not.
public struct Broken: Error, CustomStringConvertible {
    /// What was to hold.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws ``Broken`` unless it holds.
func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Broken(what()) }
}

/// The outcome in words: the result, or the error.
func outcome<Value>(_ body: () throws -> Value) -> Result<Value, Broken> {
    Result(catching: body).mapError { Broken("\($0)") }
}

extension Result {
    var value: Success? { try? get() }
    /// The error in words; empty where there is none.
    var complaint: String { if case .failure(let error) = self { "\(error)" } else { "" } }
}
