// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import SuperID

extension FuzzTarget {
    /// Face features: pieces make no difference, strict reading agrees with tolerant, and what is stored is read again.
    static let superID = FuzzTarget(name: "superid") { bytes in
        let tolerant = outcome { try SuperIDFeatureInfo(reading: MemorySource(bytes)) }
        let pipe = outcome { try SuperIDFeatureInfo(reading: PipeSource(bytes)) }
        try hold(tolerant.value == pipe.value && tolerant.complaint == pipe.complaint, "pieces make no difference")
        if let strict = try? SuperIDFeatureInfo(reading: MemorySource(bytes), .strict) {
            try hold(strict == tolerant.value && strict.repairs.isEmpty, "what needs no repair is read alike")
        }
        guard let info = tolerant.value, let features = info.features else { return }
        try hold(features.emotions.isEmpty || info.isTold, "emotions are those of a face")
        for lint in features.lint() { try hold(!lint.description.isEmpty, "a lint says something") }
        if let emotion = features.dominantEmotion {
            try hold(features.emotions[emotion] == features.emotions.values.max(), "the largest share comes first")
        }
        let stored = try JSONEncoder().encode(features)
        try hold(try JSONDecoder().decode(SuperIDFeatures.self, from: stored) == features, "what was stored comes back")
    }
}
