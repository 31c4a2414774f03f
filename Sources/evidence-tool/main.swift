import EvidenceToolCommands

Tool.run(Array(CommandLine.arguments.dropFirst()))
