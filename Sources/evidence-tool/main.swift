// SPDX-License-Identifier: Apache-2.0
import EvidenceToolCommands

// First, before anything allocates memory.
Tool.endAtCrashes()
// The program's own name is always present, unless Swift could not read /proc.
if CommandLine.arguments.isEmpty { Tool.failWithoutArguments() }
Tool.run(Array(CommandLine.arguments.dropFirst()))
