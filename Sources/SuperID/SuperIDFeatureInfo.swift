// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
public import EvidenceStreams
public import VendorDocuments

/// The face features that SuperID (一登) returns.
///
/// Features may be absent: without an approved permission the SDK omits them. Sources: the SDKs' feature
/// documents, 1.2.5 (13 May 2015) for the schema with objects, 1.0.9.2 to 1.1.3 for the flat one.
public struct SuperIDFeatureInfo: Equatable, Sendable {
    /// The two generations of the schema.
    package enum Schema: Equatable, Sendable {
        /// Flat: plain values under other names. The documents do not define their types, so they are kept as sent.
        case flat([String: SuperIDFlatValue])
        /// Since 1.2.5: an object for each feature.
        case objects(SuperIDFeatures)
    }

    /// What was found.
    package let schema: Schema
    /// What was read although it is not valid JSON: the vendor's own sample has a trailing comma.
    package let repairs: [DocumentRepair]

    /// The features of the newer schema.
    package var features: SuperIDFeatures? {
        if case .objects(let features) = schema { features } else { nil }
    }

    /// Whether more than one name says so, or one that nothing else has: others, too, have an age or a confidence.
    package var isTold: Bool {
        switch schema {
        case .flat(let values): values.count > 1
        case .objects(let features):
            !features.attributes.isEmpty || !features.emotions.isEmpty || !features.landmarks.isEmpty
                || features.orientation != nil && features.position != nil
        }
    }

    /// Reads a feature object.
    ///
    /// - Throws: ``EvidenceError``.
    public init(reading source: any ByteSource, _ tolerance: Tolerance = .tolerant) throws(EvidenceError) {
        self = try DocumentReader.read(source).interpret(tolerance) { root, reading throws(EvidenceError) in
            try SuperIDFeatureInfo(root, reading)
        }
    }

    package init(_ root: DocumentValue, _ reading: Interpretation) throws(EvidenceError) {
        repairs = reading.repairs
        if Self.isFlat(root) {
            schema = .flat(try SuperIDFlatValue.members(of: root))
        } else if Self.isObjects(root) {
            schema = .objects(try SuperIDFeatures(root))
        } else {
            throw root.fault(.unknownDocument, "it contains none of the known face features")
        }
    }

    package static func isObjects(_ root: DocumentValue) -> Bool {
        let names =
            SuperIDAttributeName.allCases.map(\.rawValue) + ["emotions", "orientation", "components", "position"]
        return names.contains(where: root.has) || isAgeAlone(root)
    }

    /// An app may have the permission for the age alone. Other documents also have an age, beside something else.
    private static func isAgeAlone(_ root: DocumentValue) -> Bool {
        guard case .object(let members) = root.content, members.count == 1, case .number = root.member("age")?.content
        else { return false }
        return true
    }

    /// Whether it has a name that only the flat schema has.
    package static func isFlat(_ root: DocumentValue) -> Bool {
        SuperIDFlatValue.ownNames.contains(where: root.has)
            && !["smiling", "male", "emotions"].contains(where: root.has)
    }
}

/// The features of the newer schema.
package struct SuperIDFeatures: Equatable, Sendable {
    /// Smile, glasses and the like, those that were present.
    package let attributes: [SuperIDAttributeName: SuperIDAttribute]
    /// In years.
    package let age: Double?
    /// The share of each emotion.
    package let emotions: [SuperIDEmotion: Double]
    /// How the head is turned.
    package let orientation: SuperIDOrientation?
    /// The points of the face, in pixels of an image of unknown size.
    package let landmarks: [SuperIDLandmark: SuperIDPoint]
    /// The face's box, in the same pixels.
    package let position: SuperIDBox?

    /// The emotion with the largest share; `nil` where there are none, or two share the first place.
    package var dominantEmotion: SuperIDEmotion? {
        guard let largest = emotions.values.max() else { return nil }
        let first = emotions.filter { $0.value == largest }
        return first.count == 1 ? first.keys.first : nil
    }

    init(_ root: DocumentValue) throws(EvidenceError) {
        var attributes: [SuperIDAttributeName: SuperIDAttribute] = [:]
        for name in SuperIDAttributeName.allCases {
            guard let value = try root.object(name.rawValue) else { continue }
            attributes[name] = SuperIDAttribute(
                result: try value.flag("result"), score: try value.requiredNumber("score"))
        }
        self.attributes = attributes
        age = try root.number("age")
        var emotions: [SuperIDEmotion: Double] = [:]
        if let object = try root.object("emotions") {
            for emotion in SuperIDEmotion.allCases { emotions[emotion] = try object.number(emotion.rawValue) }
        }
        self.emotions = emotions
        orientation = try root.object("orientation").map { value throws(EvidenceError) in
            SuperIDOrientation(
                yaw: try value.requiredNumber("yaw"), pitch: try value.requiredNumber("pitch"),
                roll: try value.requiredNumber("roll"))
        }
        var landmarks: [SuperIDLandmark: SuperIDPoint] = [:]
        if let object = try root.object("components") {
            for landmark in SuperIDLandmark.allCases { landmarks[landmark] = try object.point(landmark.rawValue) }
        }
        self.landmarks = landmarks
        position = try root.object("position").map { value throws(EvidenceError) in
            SuperIDBox(
                top: try value.requiredNumber("top"), left: try value.requiredNumber("left"),
                right: try value.requiredNumber("right"), bottom: try value.requiredNumber("bottom"))
        }
    }
}

/// The features that are a yes or no with a score.
package enum SuperIDAttributeName: String, CaseIterable, Sendable {
    case smiling, male, eyeglasses, sunglasses, mustache, attractive, blink
    case mouthOpen = "mouth_open"
}

/// One of them.
package struct SuperIDAttribute: Hashable, Sendable {
    /// Yes or no, as the vendor decided; with the score it fits a threshold of one half.
    package let result: Bool
    /// 0 to 1. For `male` it is how sure "male" is, for others how strong the feature is.
    package let score: Double

    /// A feature of these values.
    package init(result: Bool, score: Double) {
        self.result = result
        self.score = score
    }
}

/// The seven emotions. The document's Chinese for `disgust` says "anger" a second time.
package enum SuperIDEmotion: String, CaseIterable, Sendable {
    case angry, calm, confused, disgust, happy, sad, surprised
}

/// The five points of a face.
package enum SuperIDLandmark: String, CaseIterable, Sendable {
    case leftEye = "left_eye"
    case rightEye = "right_eye"
    case nose
    case mouthLeft = "mouth_left"
    case mouthRight = "mouth_right"
}

/// How a head is turned, in degrees with sign.
package struct SuperIDOrientation: Hashable, Sendable, Codable {
    /// To the side.
    package let yaw: Double
    /// Up and down.
    package let pitch: Double
    /// Tilted.
    package let roll: Double

    /// An orientation of these angles.
    package init(yaw: Double, pitch: Double, roll: Double) {
        self.yaw = yaw
        self.pitch = pitch
        self.roll = roll
    }
}

/// A point in pixels, from the left and from the top.
package struct SuperIDPoint: Hashable, Sendable {
    /// From the left.
    package let x: Double
    /// From the top.
    package let y: Double

    /// The point there.
    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// A box in pixels, from the left and from the top.
package struct SuperIDBox: Hashable, Sendable, Codable {
    /// The upper edge.
    package let top: Double
    /// The left edge.
    package let left: Double
    /// The right edge.
    package let right: Double
    /// The lower edge.
    package let bottom: Double

    /// The box of these edges.
    package init(top: Double, left: Double, right: Double, bottom: Double) {
        self.top = top
        self.left = left
        self.right = right
        self.bottom = bottom
    }
}

/// A value of the flat schema, as it was sent.
package enum SuperIDFlatValue: Equatable, Sendable {
    /// A number.
    case number(Double)
    /// A text.
    case text(String)
    /// Yes or no.
    case flag(Bool)
    /// Numbers in a row.
    case numbers([Double])
    /// Numbers by name: three of the seven emotions.
    case named([String: Double])

    static let ownNames = [
        "beard", "boundingbox", "confidence", "eye_closed", "eye_left", "eye_right", "glasses", "mouthopenwide", "sex",
        "smile", "emotion",
    ]

    /// The known fields; others are ignored.
    static func members(of root: DocumentValue) throws(EvidenceError) -> [String: SuperIDFlatValue] {
        var values: [String: SuperIDFlatValue] = [:]
        for name in ownNames + ["age", "mustache", "sunglasses"] {
            guard let value = root.member(name) else { continue }
            switch value.content {
            case .null: break
            case .number: values[name] = .number(try value.number())
            case .bool(let flag): values[name] = .flag(flag)
            case .text(let text):
                guard let short = text.text else { throw value.fault(.limit, "it is too long") }
                values[name] = .text(short)
            case .array(let elements):
                var numbers: [Double] = []
                for element in elements { numbers.append(try element.number()) }
                values[name] = .numbers(numbers)
            case .object(let inner):
                var numbers: [String: Double] = [:]
                for (key, element) in inner { numbers[key] = try element.number() }
                values[name] = .named(numbers)
            }
        }
        return values
    }
}

extension DocumentValue {
    /// This value as a finite number.
    fileprivate func number() throws(EvidenceError) -> Double {
        guard case .number(let text) = content else {
            throw fault(.type, "it must be a number").hinting(
                "have the program in between pass the SDK's object on as it is: its numbers have no quotation marks, "
                    + "and a yes is 1")
        }
        guard let number = Double(text), number.isFinite else { throw fault(.type, "the number is out of range") }
        return number
    }

    fileprivate func present(_ name: String) -> DocumentValue? {
        guard let value = member(name) else { return nil }
        if case .null = value.content { return nil }
        return value
    }

    fileprivate func object(_ name: String) throws(EvidenceError) -> DocumentValue? {
        guard let value = present(name) else { return nil }
        guard value.isObject else { throw value.fault(.type, "it must be an object") }
        return value
    }

    fileprivate func number(_ name: String) throws(EvidenceError) -> Double? {
        try present(name).map { value throws(EvidenceError) in try value.number() }
    }

    fileprivate func requiredNumber(_ name: String) throws(EvidenceError) -> Double {
        guard let number = try number(name) else { throw fault(.missing, "\(name) is absent") }
        return number
    }

    fileprivate func flag(_ name: String) throws(EvidenceError) -> Bool {
        let number = try requiredNumber(name)
        guard number == 0 || number == 1 else { throw (member(name) ?? self).fault(.type, "it must be 0 or 1") }
        return number == 1
    }

    fileprivate func point(_ name: String) throws(EvidenceError) -> SuperIDPoint? {
        guard let value = present(name) else { return nil }
        guard case .array(let elements) = value.content, elements.count == 2 else {
            throw value.fault(.type, "it must be two numbers")
        }
        return SuperIDPoint(x: try elements[0].number(), y: try elements[1].number())
    }
}
