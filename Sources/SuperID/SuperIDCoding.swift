// SPDX-License-Identifier: Apache-2.0
// Features under the vendor's names, for storage. Untrusted input is read by SuperIDFeatureInfo only.

extension SuperIDFeatures: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// Reads features that were written by ``encode(to:)``.
    ///
    /// - Throws: whatever the decoder throws where it holds something else.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Name.self)
        func members<Key: CaseIterable & Hashable & RawRepresentable<String>, Value: Decodable>(
            _ container: KeyedDecodingContainer<Name>
        ) throws -> [Key: Value] {
            var values: [Key: Value] = [:]
            for key in Key.allCases {
                values[key] = try container.decodeIfPresent(Value.self, forKey: Name(key.rawValue))
            }
            return values
        }
        func nested(_ name: String) throws -> KeyedDecodingContainer<Name>? {
            guard fields.contains(Name(name)) else { return nil }
            return try fields.nestedContainer(keyedBy: Name.self, forKey: Name(name))
        }
        attributes = try members(fields)
        age = try fields.decodeIfPresent(Double.self, forKey: Name("age"))
        emotions = try nested("emotions").map(members) ?? [:]
        orientation = try fields.decodeIfPresent(SuperIDOrientation.self, forKey: Name("orientation"))
        landmarks = try nested("components").map(members) ?? [:]
        position = try fields.decodeIfPresent(SuperIDBox.self, forKey: Name("position"))
    }

    /// Writes the features that are there.
    ///
    /// - Throws: whatever the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Name.self)
        for (name, attribute) in attributes { try fields.encode(attribute, forKey: Name(name.rawValue)) }
        try fields.encodeIfPresent(age, forKey: Name("age"))
        if !emotions.isEmpty {
            var container = fields.nestedContainer(keyedBy: Name.self, forKey: Name("emotions"))
            for (emotion, share) in emotions { try container.encode(share, forKey: Name(emotion.rawValue)) }
        }
        try fields.encodeIfPresent(orientation, forKey: Name("orientation"))
        if !landmarks.isEmpty {
            var container = fields.nestedContainer(keyedBy: Name.self, forKey: Name("components"))
            for (landmark, point) in landmarks { try container.encode(point, forKey: Name(landmark.rawValue)) }
        }
        try fields.encodeIfPresent(position, forKey: Name("position"))
    }
}

extension SuperIDAttribute: Codable {
    private enum Name: CodingKey { case result, score }

    /// Reads a feature; the result is 0 or 1.
    ///
    /// - Throws: whatever the decoder throws where it holds something else.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Name.self)
        result = try fields.decode(Int.self, forKey: .result) != 0
        score = try fields.decode(Double.self, forKey: .score)
    }

    /// Writes the feature; the result is 0 or 1.
    ///
    /// - Throws: whatever the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Name.self)
        try fields.encode(result ? 1 : 0, forKey: .result)
        try fields.encode(score, forKey: .score)
    }
}

extension SuperIDPoint: Codable {
    /// Reads two numbers in a row.
    ///
    /// - Throws: whatever the decoder throws where it holds something else.
    package init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        x = try numbers.decode(Double.self)
        y = try numbers.decode(Double.self)
    }

    /// Writes two numbers in a row.
    ///
    /// - Throws: whatever the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        var numbers = encoder.unkeyedContainer()
        try numbers.encode(x)
        try numbers.encode(y)
    }
}
