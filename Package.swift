// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Every Swift target is built the same way: Swift 6 mode, strict memory safety, no warning tolerated.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What `evidence-tool --version` names as its commit. `scripts/install` says it; a build that nobody told has none.
let commit = (Context.environment["EVIDENCE_COMMIT"] ?? "").filter {
    $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")
}

func module(_ name: String, _ dependencies: Target.Dependency..., resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// The tests of the module or the promise they are named after.
func tests(_ name: String, _ dependencies: Target.Dependency..., exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies + ["TestVectorSupport"], exclude: exclude,
        swiftSettings: settings)
}

let package = Package(
    name: "evidence-kit",
    // Of Apple's systems, those whose Swift has `Array.span`. What was never compiled: docs/LIMITATIONS.md.
    platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
    products: [
        .library(name: "EvidenceKit", targets: ["EvidenceKit"]),
        .library(name: "VendorServer", targets: ["VendorServer"]),
        .library(name: "FaceVerificationFlow", targets: ["FaceVerificationFlow"]),
        .library(name: "EvidenceArchive", targets: ["EvidenceArchive"]),
        .library(name: "EvidenceDiagnosis", targets: ["EvidenceDiagnosis", "SignDiagnosis"]),
        // For the commands of the packages beside this one.
        .library(name: "CommandSyntax", targets: ["CommandSyntax"]),
        .library(name: "CommandInputs", targets: ["CommandInputs"]),
        // For their tests.
        .library(name: "TestVectorSupport", targets: ["TestVectorSupport"]),
        .executable(name: "evidence-tool", targets: ["evidence-tool"]),
    ],
    targets: [
        // The modules, bottom to top: docs/ARCHITECTURE.md.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CSystem"),
        .target(name: "CBase64Kernels"),
        // Apart, so that another commit compiles no more than the command again.
        .target(name: "CCommit", cSettings: [.define("EVIDENCE_COMMIT", to: "\"\(commit)\"")]),
        module("PlatformC"),
        module("EvidenceErrors", "PlatformC"),
        module("EvidenceEncoding", "EvidenceErrors", "CBase64Kernels"),
        module("Recognition", "EvidenceErrors", "EvidenceEncoding"),
        module("EvidenceStreams", "PlatformC", "CSystem", "EvidenceErrors"),
        module(
            "EvidenceCrypto", "PlatformC", "COpenSSL", "CSystem", "EvidenceErrors", "EvidenceEncoding", "Recognition"),
        module(
            "DocumentSigning", "COpenSSL", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceCrypto"),

        // The vendor's data.
        module("VendorTypes", "EvidenceErrors", "EvidenceEncoding"),
        module("MediaStructure", "EvidenceErrors", "EvidenceEncoding", "Recognition"),
        module(
            "VendorDocuments", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams", "Recognition", "VendorTypes",
            "MediaStructure"),
        module(
            "DeviceSignature", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams", "EvidenceCrypto",
            "VendorTypes", "VendorDocuments"),
        module("SuperID", "EvidenceErrors", "EvidenceStreams", "VendorDocuments"),
        module("VendorSigning", "EvidenceErrors", "EvidenceEncoding", "EvidenceCrypto", "VendorTypes"),
        module(
            "SignDiagnosis", "EvidenceErrors", "EvidenceEncoding", "EvidenceCrypto", "VendorTypes", "VendorSigning"),
        module(
            "VendorResults", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams", "VendorTypes",
            "MediaStructure", "VendorDocuments", "SuperID"),
        module(
            "VendorServer", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams", "EvidenceCrypto", "VendorTypes",
            "VendorDocuments", "VendorSigning", "VendorResults"),
        module(
            "FaceVerificationFlow", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams", "VendorTypes",
            "VendorDocuments", "DeviceSignature", "SuperID", "VendorSigning", "SignDiagnosis", "VendorResults",
            "VendorServer"),

        // The payload.
        module(
            "EvidencePayload", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams", "EvidenceCrypto",
            "VendorTypes", "MediaStructure", "VendorDocuments",
            // In the code, so that there is no bundle to lose, and no copy of the files to keep in step.
            resources: [.embedInCode("Profiles/BuiltIn")]),
        module(
            "IdentifyString", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams", "EvidenceCrypto", "VendorTypes",
            "VendorSigning", "VendorResults", "EvidencePayload"),
        module(
            "ResultCheck", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams", "EvidenceCrypto",
            "VendorTypes", "MediaStructure", "VendorDocuments", "DeviceSignature", "SuperID", "VendorSigning",
            "VendorResults", "EvidencePayload", "IdentifyString"),
        module(
            "EvidencePage", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams", "EvidenceCrypto",
            "VendorDocuments", "EvidencePayload", "ResultCheck", resources: [.embedInCode("Page")]),
        module(
            "EvidenceArchive", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams", "EvidenceCrypto",
            "DocumentSigning", "VendorTypes", "VendorDocuments", "VendorResults", "DeviceSignature", "EvidencePayload",
            "ResultCheck", "EvidencePage"),
        module(
            "EvidenceKit", "PlatformC", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams",
            "EvidenceCrypto", "VendorTypes", "VendorDocuments", "DeviceSignature", "VendorSigning", "VendorResults",
            "EvidencePayload", "IdentifyString", "ResultCheck"),
        module(
            "EvidenceDiagnosis", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams",
            "EvidenceCrypto", "VendorTypes", "MediaStructure", "VendorDocuments", "EvidencePayload"),
        // What the commands share, those of the packages beside this one too.
        module(
            "CommandSyntax", "PlatformC", "CSystem", "CCommit", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams",
            "EvidenceCrypto"),
        module(
            "CommandInputs", "PlatformC", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams",
            "EvidenceCrypto",
            "DocumentSigning", "VendorDocuments", "DeviceSignature", "VendorSigning", "EvidencePayload", "ResultCheck",
            "EvidenceKit", "CommandSyntax"),
        module(
            "EvidenceToolCommands", "PlatformC", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams",
            "EvidenceCrypto", "VendorTypes", "MediaStructure", "VendorDocuments", "VendorSigning", "SignDiagnosis",
            "VendorResults", "EvidencePayload", "IdentifyString", "ResultCheck", "EvidenceKit", "EvidencePage",
            "EvidenceDiagnosis", "CommandSyntax", "CommandInputs"),
        .executableTarget(
            name: "evidence-tool", dependencies: ["CommandSyntax", "EvidenceToolCommands"], swiftSettings: settings),

        // What must hold of every parser, for libFuzzer (Fuzz/) and for the tests that replay its corpus.
        .target(
            name: "FuzzTargets",
            // All by name: where the size of a type changed two modules below, the build would not see it.
            dependencies: [
                "EvidenceKit", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams", "EvidenceCrypto",
                "DocumentSigning", "VendorTypes",
                "MediaStructure", "VendorDocuments", "DeviceSignature", "SuperID", "VendorSigning", "VendorResults",
                "VendorServer",
                "EvidencePayload", "IdentifyString", "ResultCheck", "EvidenceArchive", "EvidencePage",
                "EvidenceDiagnosis", "CommandSyntax", "CommandInputs", "EvidenceToolCommands", "TestVectorSupport",
            ],
            path: "Fuzz/Sources/FuzzTargets", swiftSettings: settings),
        .target(
            name: "TestVectorSupport", path: "Tests/TestVectorSupport", exclude: ["terminal.py"],
            swiftSettings: settings),

        tests("EvidenceEncoding", "EvidenceErrors", "EvidenceEncoding"),
        tests("Recognition", "EvidenceEncoding", "Recognition"),
        tests("EvidenceStreams", "EvidenceErrors", "EvidenceStreams"),
        tests(
            "EvidenceCrypto", "EvidenceErrors", "EvidenceEncoding", "EvidenceCrypto", "EvidenceDiagnosis", "COpenSSL"),
        tests("DocumentSigning", "EvidenceErrors", "EvidenceEncoding", "EvidenceCrypto", "DocumentSigning", "COpenSSL"),
        tests("MediaStructure", "MediaStructure"),
        tests(
            "DeviceSignature", "EvidenceErrors", "EvidenceStreams", "EvidenceCrypto", "VendorTypes", "DeviceSignature"),
        tests("SuperID", "EvidenceErrors", "EvidenceStreams", "VendorDocuments", "SuperID"),
        tests("VendorTypes", "EvidenceErrors", "VendorTypes"),
        tests(
            "VendorDocuments", "EvidenceErrors", "EvidenceEncoding", "Recognition", "EvidenceStreams", "VendorTypes",
            "VendorDocuments"),
        tests("VendorSigning", "EvidenceErrors", "EvidenceEncoding", "EvidenceCrypto", "VendorTypes", "VendorSigning"),
        tests(
            "SignDiagnosis", "EvidenceErrors", "EvidenceEncoding", "EvidenceCrypto", "VendorSigning", "SignDiagnosis"),
        tests(
            "VendorResults", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams", "VendorTypes", "MediaStructure",
            "VendorDocuments", "SuperID", "VendorResults"),
        tests(
            "VendorServer", "EvidenceErrors", "EvidenceStreams", "EvidenceCrypto", "VendorTypes", "VendorDocuments",
            "VendorResults", "VendorSigning", "VendorServer"),
        tests(
            "FaceVerificationFlow", "EvidenceErrors", "EvidenceStreams", "EvidenceCrypto", "VendorTypes",
            "VendorDocuments", "DeviceSignature", "SuperID", "VendorSigning", "VendorResults", "VendorServer",
            "FaceVerificationFlow"),
        .target(
            name: "PayloadTestSupport",
            dependencies: ["EvidenceKit", "EvidencePayload", "IdentifyString", "TestVectorSupport"],
            path: "Tests/PayloadTestSupport", swiftSettings: settings),
        tests(
            "EvidencePayload", "EvidenceCrypto", "EvidencePayload", "IdentifyString", "EvidenceKit",
            "PayloadTestSupport"),
        tests(
            "IdentifyString", "VendorResults", "EvidencePayload", "IdentifyString", "ResultCheck", "EvidenceKit",
            "PayloadTestSupport"),
        tests(
            "ResultCheck", "VendorResults", "EvidencePayload", "IdentifyString", "ResultCheck", "EvidenceKit",
            "PayloadTestSupport"),
        tests("EvidencePage", "EvidenceErrors", "ResultCheck", "EvidenceKit", "EvidencePage"),
        tests(
            "EvidenceArchive", "EvidenceErrors", "EvidenceEncoding", "EvidenceStreams", "EvidenceCrypto",
            "DocumentSigning", "EvidenceKit", "EvidenceArchive"),
        tests("EvidenceDiagnosis", "EvidencePayload", "EvidenceKit", "EvidenceDiagnosis", "VendorDocuments"),
        tests("FuzzReplay", "FuzzTargets"),
        tests(
            "PublicAPI", "COpenSSL", "EvidenceEncoding", "EvidenceStreams", "EvidenceCrypto", "EvidencePayload",
            "EvidenceKit", "EvidenceToolCommands"),
        tests(
            "Documentation", "EvidenceStreams", "EvidenceKit", "VendorServer", "FaceVerificationFlow",
            "EvidenceArchive",
            "EvidenceDiagnosis"),
        tests("CommandLine", "evidence-tool", "CommandInputs", exclude: ["Scripts"]),
    ],
    swiftLanguageModes: [.v6]
)

// What the project's own scripts build besides (scripts/steps/prepare).
if Context.environment["EVIDENCE_SCRIPTS"] != nil {
    // What measures the library from inside (Benchmarks/): modules of this package, compiled with the tests.
    func benchmark(_ name: String, _ dependencies: Target.Dependency..., exclude: [String] = []) -> Target {
        .executableTarget(
            name: name, dependencies: ["EvidenceKit"] + dependencies, path: "Benchmarks/" + name, exclude: exclude)
    }
    package.targets += [
        benchmark("EvidenceBenchmark", "EvidenceEncoding", "EvidenceStreams", "ResultCheck"),
        benchmark("SignBenchmark", exclude: ["SignBenchmark.java", "sign_benchmark.py"]),
        benchmark("Oracle", "EvidenceCrypto", exclude: ["make_inputs.py"]),
    ]

    // One build is tested, and driven by the checks. What goes through strangers' bytes is optimised in it; the rest is
    // quicker to build than to run so. A release optimises all of it.
    let readers: Set = [
        "EvidenceEncoding", "EvidenceStreams", "EvidenceCrypto", "EvidencePayload", "MediaStructure", "Recognition",
        "VendorTypes", "VendorDocuments", "VendorResults", "ResultCheck", "EvidenceDiagnosis", "SignDiagnosis",
        "FuzzTargets",
    ]
    for target in package.targets {
        if readers.contains(target.name) {
            target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
        }
        if target.name == "CBase64Kernels" {
            target.cSettings = [.unsafeFlags(["-O2"], .when(configuration: .debug))]
        }
    }
}

// The fuzzer's own package is a stranger to this one; its door is open only to scripts/fuzz.
if Context.environment["EVIDENCE_FUZZ"] != nil {
    package.products.append(.library(name: "FuzzTargets", targets: ["FuzzTargets"]))
}
