// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let kit: Target.Dependency = .product(name: "EvidenceKit", package: "evidence-kit")
let archive: Target.Dependency = .product(name: "EvidenceArchive", package: "evidence-kit")

/// Apart from the package itself, so that no user of the library needs SQLite: docs/ARCHIVE.md §8.
let package = Package(
    name: "evidence-archive",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "EvidenceArchiveIndex", targets: ["EvidenceArchiveIndex"]),
        .executable(name: "evidence-archive-index", targets: ["evidence-archive-index"]),
    ],
    dependencies: [.package(name: "evidence-kit", path: "..")],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "EvidenceArchiveIndex", dependencies: ["CSQLite", kit, archive], swiftSettings: settings),
        .executableTarget(
            name: "evidence-archive-index", dependencies: ["EvidenceArchiveIndex", kit, archive],
            swiftSettings: settings),
        // What a lookup costs among so many rows, without an archive of that size.
        .executableTarget(
            name: "index-benchmark", dependencies: ["EvidenceArchiveIndex", kit, archive], swiftSettings: settings),
        // What must hold of every index file, replayed by the tests.
        .target(
            name: "IndexFuzz", dependencies: ["EvidenceArchiveIndex", kit, archive], path: "Fuzz/IndexFuzz",
            swiftSettings: settings),
        .testTarget(
            name: "EvidenceArchiveIndexTests", dependencies: ["EvidenceArchiveIndex", "IndexFuzz", kit, archive],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// Without libFuzzer it has no `main`: scripts/steps/fuzz-Archive builds it.
if Context.environment["EVIDENCE_FUZZ"] != nil {
    package.targets.append(.executableTarget(name: "index-fuzz", dependencies: ["IndexFuzz"], path: "Fuzz/index-fuzz"))
}
