// swift-tools-version: 6.3
import PackageDescription

/// Every Swift target is built the same way: Swift 6 mode, strict memory safety, no warning tolerated.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "evidence-kit",
    products: [
        .library(name: "EvidenceKit", targets: ["EvidenceKit"]),
        .library(name: "FaceVerificationFlow", targets: ["FaceVerificationFlow"]),
        .library(name: "EvidenceDiagnosis", targets: ["EvidenceDiagnosis"]),
        .executable(name: "evidence-tool", targets: ["evidence-tool"]),
    ],
    targets: [
        // The house, bottom to top: docs/ARCHITECTURE.md.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CBase64Kernels"),
        .target(name: "EvidenceErrors", swiftSettings: settings),
        .target(
            name: "EvidenceEncoding", dependencies: ["EvidenceErrors", "CBase64Kernels"], swiftSettings: settings),
        .target(name: "EvidenceStreams", dependencies: ["EvidenceErrors"], swiftSettings: settings),
        .target(
            name: "EvidenceCrypto", dependencies: ["EvidenceErrors", "EvidenceEncoding", "COpenSSL"],
            swiftSettings: settings),
        .target(
            name: "FaceVerification",
            dependencies: ["EvidenceErrors", "EvidenceCrypto", "EvidenceEncoding", "EvidenceStreams"],
            swiftSettings: settings),
        .target(
            name: "FaceVerificationFlow", dependencies: ["EvidenceErrors", "FaceVerification"],
            swiftSettings: settings),
        .target(
            name: "SimpleMode",
            dependencies: [
                "EvidenceErrors", "FaceVerification", "EvidenceCrypto", "EvidenceEncoding", "EvidenceStreams",
            ],
            // In the code, so that there is no bundle to lose, and no copy of the files to keep in step.
            resources: [.embedInCode("Envelope/Profiles")],
            swiftSettings: settings),
        .target(
            name: "EvidenceKit",
            dependencies: [
                "EvidenceErrors", "SimpleMode", "FaceVerification", "EvidenceCrypto", "EvidenceEncoding",
                "EvidenceStreams",
            ],
            swiftSettings: settings),
        .target(
            name: "EvidenceDiagnosis",
            dependencies: [
                "EvidenceErrors", "SimpleMode", "FaceVerification", "EvidenceCrypto", "EvidenceEncoding",
                "EvidenceStreams",
            ],
            swiftSettings: settings),
        .target(
            name: "EvidenceToolCommands",
            dependencies: [
                "EvidenceErrors", "EvidenceKit", "EvidenceDiagnosis", "EvidenceEncoding", "EvidenceStreams",
            ],
            swiftSettings: settings),
        .executableTarget(name: "evidence-tool", dependencies: ["EvidenceToolCommands"], swiftSettings: settings),

        // What must hold of every parser, for libFuzzer (Fuzz/) and for the tests that replay its corpus.
        .target(
            name: "FuzzTargets",
            // All by name: where the size of a type changed two modules below, the build would not see it.
            dependencies: [
                "EvidenceErrors",
                "EvidenceKit", "SimpleMode", "FaceVerification", "EvidenceCrypto", "EvidenceStreams",
                "EvidenceEncoding", "EvidenceDiagnosis", "EvidenceToolCommands", "TestVectorSupport",
            ],
            path: "Fuzz/Sources/FuzzTargets", swiftSettings: settings),
        .target(name: "TestVectorSupport", path: "Tests/TestVectorSupport", swiftSettings: settings),
        .testTarget(
            name: "CommandLineTests", dependencies: ["evidence-tool", "TestVectorSupport"], exclude: ["Scripts"],
            swiftSettings: settings),
        .testTarget(
            name: "EvidenceEncodingTests", dependencies: ["EvidenceErrors", "EvidenceEncoding", "TestVectorSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "EvidenceStreamsTests", dependencies: ["EvidenceErrors", "EvidenceStreams", "TestVectorSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "EvidenceCryptoTests",
            dependencies: ["EvidenceErrors", "EvidenceCrypto", "COpenSSL", "TestVectorSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FaceVerificationFlowTests",
            dependencies: [
                "EvidenceErrors", "FaceVerificationFlow", "FaceVerification", "EvidenceStreams", "TestVectorSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FaceVerificationTests",
            dependencies: [
                "EvidenceErrors",
                "FaceVerification", "EvidenceCrypto", "EvidenceEncoding", "EvidenceStreams", "TestVectorSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "EvidenceDiagnosisTests",
            dependencies: ["EvidenceErrors", "EvidenceDiagnosis", "EvidenceKit", "TestVectorSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FuzzReplayTests", dependencies: ["EvidenceErrors", "FuzzTargets", "TestVectorSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PublicAPITests",
            dependencies: ["EvidenceErrors", "EvidenceKit", "EvidenceToolCommands", "TestVectorSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SimpleModeTests", dependencies: ["EvidenceErrors", "EvidenceKit", "TestVectorSupport"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// The fuzzer's own package is a stranger to this one; its door is open only to scripts/fuzz.
if Context.environment["EVIDENCE_FUZZ"] != nil {
    package.products.append(.library(name: "FuzzTargets", targets: ["FuzzTargets"]))
}
