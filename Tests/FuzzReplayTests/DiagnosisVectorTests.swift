// SPDX-License-Identifier: Apache-2.0
import FuzzTargets
import TestVectorSupport
import Testing

/// What holds of every diagnosis holds of the payloads that give trouble: a profile that is named opens the payload, a
/// pipe is diagnosed like a file, and what is repaired can be looked at again.
@Suite struct DiagnosisVectorTests {
    @Test(arguments: try Vectors.cases("diagnosis")) func whatHoldsOfADiagnosisHolds(_ name: String) throws {
        let target = try #require(FuzzTarget.named("diagnose"))
        try target.check(try Vectors.readCase("diagnosis/\(name)").payload)
    }
}
