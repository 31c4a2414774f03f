// SPDX-License-Identifier: Apache-2.0
import EvidenceToolCommands

// Before anything that needs memory.
Tool.endAtCrashes()
// The program's own name is always there, unless Swift could not read what stands in /proc.
if CommandLine.arguments.isEmpty { Tool.failWithoutArguments() }
Tool.run(Array(CommandLine.arguments.dropFirst()))
