// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceStreams
import Foundation
import SuperID
import TestVectorSupport
import Testing
import VendorDocuments

@Suite struct SuperIDTests {
    private func read(_ json: String) throws -> SuperIDFeatureInfo {
        try SuperIDFeatureInfo(reading: MemorySource(Array(json.utf8)))
    }

    @Test func theVendorsSampleIsReadWithItsComma() throws {
        let bytes = try Vectors.bytes("results/superid_features_1_2_5.json")
        let info = try SuperIDFeatureInfo(reading: MemorySource(bytes))
        #expect(info.repairs.map(\.code) == [.trailingComma])
        let comma = try #require(info.repairs.first?.offset)
        #expect(bytes[Int(comma)] == UInt8(ascii: ","))
        let features = try #require(info.features)
        #expect(features.dominantEmotion == .calm)
        #expect(features.age == 26.85)
        #expect(features.attributes[.male] == SuperIDAttribute(result: true, score: 0.999986))
        #expect(features.attributes.count == 8)
        #expect(features.landmarks[.nose] == SuperIDPoint(x: 222.983948, y: 385.265198))
        #expect(features.position == SuperIDBox(top: 264, left: 134, right: 408, bottom: 538))
        #expect(features.orientation == SuperIDOrientation(yaw: 3.852539, pitch: -0.84375, roll: -4.250381))
        #expect(features.lint() == [])
        let error = #expect(throws: EvidenceError.self) {
            try SuperIDFeatureInfo(reading: MemorySource(bytes), .strict)
        }
        #expect(error?.code == .repair)
    }

    /// What is stored is in the vendor's names, so that our own strict reader reads it, too.
    @Test(arguments: ["superid_features_1_2_5", "superid_features_basic"]) func featuresCanBeStored(
        _ name: String
    ) throws {
        let bytes = try Vectors.bytes("results/\(name).json")
        let features = try #require(try SuperIDFeatureInfo(reading: MemorySource(bytes)).features)
        let stored = try JSONEncoder().encode(features)
        #expect(try JSONDecoder().decode(SuperIDFeatures.self, from: stored) == features)
        #expect(try SuperIDFeatureInfo(reading: MemorySource(stored), .strict).features == features)
    }

    @Test func absentFeaturesAreNormal() throws {
        let features = try #require(
            try SuperIDFeatureInfo(
                reading: MemorySource(Vectors.bytes("results/superid_features_basic.json")), .strict
            ).features)
        #expect(features.dominantEmotion == nil)
        #expect(features.position == nil)
        #expect(features.attributes[.blink] == nil)
    }

    /// Each of the permissions that every developer has may be the only one.
    @Test func oneFeatureAloneIsRecognised() throws {
        for name in ["male", "smiling", "eyeglasses", "mustache"] {
            let features = try read(#"{"\#(name)":{"result":1,"score":0.9}}"#).features
            #expect(features?.attributes.count == 1)
        }
        #expect(try read(#"{"age":26.85}"#).features?.age == 26.85)
        for other in [#"{"age":26,"name":"x"}"#, #"{"age":"26"}"#, #"{"age":null}"#, "{}"] {
            let error = #expect(throws: EvidenceError.self) { try read(other) }
            #expect(error?.code == .unknownDocument)
        }
    }

    @Test func theFlatSchemaIsKeptAsSent() throws {
        let info = try SuperIDFeatureInfo(reading: MemorySource(Vectors.bytes("results/superid_flat.json")))
        guard case .flat(let values) = info.schema else {
            Issue.record("not flat")
            return
        }
        #expect(values["age"] == .number(26))
        #expect(values["boundingbox"] == .numbers([134, 264, 408, 538]))
        #expect(values["emotion"] == .named(["calm": 0.79, "confused": 0.16, "happy": 0.02]))
    }

    @Test(arguments: [
        (#"{"smiling":{"result":1,"score":1.5}}"#, SuperIDLint.Code.scoreRange, "$.smiling.score"),
        (#"{"smiling":{"result":1,"score":0.4}}"#, .resultAgainstScore, "$.smiling"),
        (#"{"mouth_open":{"result":0,"score":0.6}}"#, .resultAgainstScore, "$.mouth_open"),
        (#"{"smiling":{"result":0,"score":0},"age":-1}"#, .age, "$.age"),
        (#"{"emotions":{"happy":1.1}}"#, .emotionRange, "$.emotions.happy"),
        (
            #"{"emotions":{"angry":0,"calm":0.5,"confused":0,"disgust":0,"happy":0,"sad":0,"surprised":0}}"#,
            .emotionSum, "$.emotions"
        ),
        (#"{"orientation":{"yaw":181,"pitch":0,"roll":0}}"#, .angle, "$.orientation.yaw"),
        (#"{"position":{"top":5,"left":0,"right":9,"bottom":5}}"#, .box, "$.position"),
        (
            #"{"position":{"top":0,"left":0,"right":9,"bottom":9},"components":{"nose":[10,5]}}"#, .landmark,
            "$.components.nose"
        ),
    ]) func whatDoesNotFitIsNamed(_ json: String, _ code: SuperIDLint.Code, _ path: String) throws {
        let lints = try #require(read(json).features).lint()
        #expect(lints.map(\.code) == [code])
        #expect(lints.map(\.path) == [path])
    }

    @Test(arguments: [
        #"{"emotions":{"happy":0.1,"sad":0.1}}"#, #"{"smiling":{"result":1,"score":0.5}}"#,
        #"{"components":{"nose":[1,2]}}"#,
    ]) func whatCannotBeJudgedIsNotJudged(_ json: String) throws {
        let features = try #require(read(json).features)
        #expect(features.lint() == [])
        #expect(features.dominantEmotion == nil)
    }

    @Test(arguments: [
        #"{"smiling":{"result":1,"score":1e999}}"#, #"{"smiling":{"result":2,"score":0.5}}"#,
        #"{"smiling":{"result":-1,"score":0.5}}"#, #"{"smiling":{"result":0.5,"score":0.5}}"#,
    ]) func numbersOutOfRangeAreRefused(_ json: String) {
        #expect(throws: EvidenceError.self) { try read(json) }
    }
}
