// SPDX-License-Identifier: Apache-2.0
/// An inconsistency in face features.
///
/// It is not an error: the features were read as they are. But an image with such features deserves a second look, and
/// so does the code that transported them.
package struct SuperIDLint: Hashable, Sendable, CustomStringConvertible {
    /// What does not fit. New kinds may be added.
    package struct Code: Hashable, Sendable {
        private enum Kind { case scoreRange, resultAgainstScore, age, emotionRange, emotionSum, angle, box, landmark }
        private let kind: Kind

        /// A score is not from 0 to 1.
        package static let scoreRange = Code(kind: .scoreRange)
        /// The result does not match the score at a threshold of one half.
        package static let resultAgainstScore = Code(kind: .resultAgainstScore)
        /// The age is not from 0 to 150.
        package static let age = Code(kind: .age)
        /// The share of an emotion is not from 0 to 1.
        package static let emotionRange = Code(kind: .emotionRange)
        /// All seven emotions are present, but their shares do not add up to 1.
        package static let emotionSum = Code(kind: .emotionSum)
        /// An angle is not from -180 to 180 degrees.
        package static let angle = Code(kind: .angle)
        /// The box's edges are not in order.
        package static let box = Code(kind: .box)
        /// A point of the face is outside its box.
        package static let landmark = Code(kind: .landmark)
    }

    /// What does not fit.
    package let code: Code
    /// Which value, as a JSON path.
    package let path: String
    private let reason: String

    fileprivate init(_ code: Code, _ path: String, _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }

    /// One sentence without a full stop.
    package var description: String { "\(path): \(reason)" }
}

extension SuperIDFeatures {
    /// All inconsistencies, in the order of the fields. The vendor's sample has none.
    package func lint() -> [SuperIDLint] {
        lintAttributes() + lintEmotions() + lintOrientation() + lintGeometry()
    }

    private func lintAttributes() -> [SuperIDLint] {
        var lints: [SuperIDLint] = []
        for name in SuperIDAttributeName.allCases {
            guard let attribute = attributes[name] else { continue }
            let path = "$.\(name.rawValue)"
            if !(0...1).contains(attribute.score) {
                lints.append(SuperIDLint(.scoreRange, path + ".score", "a score is from 0 to 1"))
            } else if attribute.score != 0.5 && attribute.result != (attribute.score > 0.5) {
                lints.append(SuperIDLint(.resultAgainstScore, path, "the result does not match the score"))
            }
        }
        if let age, !(0...150).contains(age) { lints.append(SuperIDLint(.age, "$.age", "an age is from 0 to 150")) }
        return lints
    }

    private func lintEmotions() -> [SuperIDLint] {
        var lints: [SuperIDLint] = []
        for emotion in SuperIDEmotion.allCases {
            guard let share = emotions[emotion], !(0...1).contains(share) else { continue }
            lints.append(SuperIDLint(.emotionRange, "$.emotions.\(emotion.rawValue)", "a share is from 0 to 1"))
        }
        let sum = emotions.values.reduce(0, +)
        // Six decimals each, seven of them.
        if emotions.count == SuperIDEmotion.allCases.count && abs(sum - 1) > 0.001 {
            lints.append(SuperIDLint(.emotionSum, "$.emotions", "the shares do not add up to 1"))
        }
        return lints
    }

    private func lintOrientation() -> [SuperIDLint] {
        guard let orientation else { return [] }
        let angles = [("yaw", orientation.yaw), ("pitch", orientation.pitch), ("roll", orientation.roll)]
        return angles.filter { !(-180...180).contains($0.1) }.map {
            SuperIDLint(.angle, "$.orientation.\($0.0)", "an angle is from -180 to 180 degrees")
        }
    }

    private func lintGeometry() -> [SuperIDLint] {
        guard let position else { return [] }
        guard position.left < position.right && position.top < position.bottom else {
            return [SuperIDLint(.box, "$.position", "left must be less than right, and top less than bottom")]
        }
        return SuperIDLandmark.allCases.compactMap { landmark in
            guard let point = landmarks[landmark] else { return nil }
            let isInside =
                (position.left...position.right).contains(point.x) && (position.top...position.bottom).contains(point.y)
            return isInside
                ? nil : SuperIDLint(.landmark, "$.components.\(landmark.rawValue)", "the point is outside the box")
        }
    }
}
