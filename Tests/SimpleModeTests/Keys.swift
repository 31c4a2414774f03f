// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Synchronization
import TestVectorSupport

/// A key of `TestVectors/keys`, read once for all tests.
func privateKey(_ name: String) throws -> RSAPrivateKey {
    try keys.withLock { keys in
        if let key = keys[name] { return key }
        let key = try RSAPrivateKey(contentsOf: Vectors.path("keys/\(name)"))
        keys[name] = key
        return key
    }
}

private let keys = Mutex<[String: RSAPrivateKey]>([:])
