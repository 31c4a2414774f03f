// SPDX-License-Identifier: Apache-2.0
package import EvidenceKit
package import EvidencePayload
package import IdentifyString
import Synchronization
import TestVectorSupport

/// A key of `TestVectors/keys`, read once for all tests.
package func privateKey(_ name: String) throws -> RSAPrivateKey {
    try keys.withLock { keys in
        if let key = keys[name] { return key }
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/\(name)"))
        keys[name] = key
        return key
    }
}

private let keys = Mutex<[String: RSAPrivateKey]>([:])

extension Profile {
    /// The built-in profile of that name, which nothing opens unless it is named.
    package static var evidenceV1: Profile { Profile.preset(named: "evidence-v1") ?? .evidenceV2 }
}

/// The statement of a result, sealed as `evidence-v2`.
package func statement(in result: [UInt8], with key: any DecryptionKey) throws -> IdentifyStatement {
    let content = StatementDestination()
    try PayloadOpener(key).open(.identifyString, from: MemorySource(result), into: content)
    return try content.statement()
}
