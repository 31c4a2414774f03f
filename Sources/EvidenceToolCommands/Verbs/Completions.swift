// SPDX-License-Identifier: Apache-2.0
extension Verb {
    private static let shells = ["bash", "zsh", "fish"]

    static let completions = Verb(
        name: "completions",
        summary: "completions for a shell",
        discussion: "Prints a script that makes the shell complete verbs and options.",
        options: [],
        operand: Operand("SHELL", isRequired: true, shells.joined(separator: ", ")),
        examples: [
            "bash > /etc/bash_completion.d/evidence-tool", "fish > ~/.config/fish/completions/evidence-tool.fish",
        ],
        run: { arguments in
            switch arguments.operand {
            case "bash": try Terminal.write(Completions.bash)
            case "zsh": try Terminal.write(Completions.zsh)
            case "fish": try Terminal.write(Completions.fish)
            default:
                throw CommandError(
                    .usage, "there are no completions for this SHELL",
                    hint: "use one of: \(shells.joined(separator: ", "))")
            }
        })
}

/// Completion scripts, made from the verbs' descriptions.
enum Completions {
    static var bash: String {
        let cases = Verb.all.map { verb in
            let choices = verb.options.filter { !$0.choices.isEmpty }.map { option in
                "                \(option.name)) \(bashReply(option.choices)); return ;;"
            }
            let options = verb.allOptions.map(\.name)
            return """
                        \(verb.name))
                            case $before in
                \((choices + ["                *) ;;"]).joined(separator: "\n"))
                            esac
                            [[ $word == -* ]] && \(bashReply(options)) ;;
                """
        }
        let first = Verb.all.map(\.name) + ["--help", "--version"]
        return """
            _evidence_tool() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    \(bashReply(first))
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(cases.joined(separator: "\n"))
                esac
            }
            complete -o default -F _evidence_tool evidence-tool

            """
    }

    private static func bashReply(_ words: [String]) -> String {
        "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$word\"))"
    }

    static var zsh: String {
        let verbs = Verb.all.map { "    " + quoted("\($0.name):\($0.summary)") }
        let cases = Verb.all.map { verb in
            let specs = verb.allOptions.map { option in
                let action = option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))"
                return quoted("\(option.name)[\(option.summary)]" + (option.value.map { ":\($0):\(action)" } ?? ""))
            }
            return "    \(verb.name)) _arguments \((specs + ["'*:file:_files'"]).joined(separator: " ")) ;;"
        }
        return """
            #compdef evidence-tool
            local -a verbs=(
            \(verbs.joined(separator: "\n"))
            )
            if ((CURRENT == 2)); then
                _describe verb verbs
                return
            fi
            local verb=$words[2]
            shift words
            ((CURRENT--))
            case $verb in
            \(cases.joined(separator: "\n"))
            esac

            """
    }

    static var fish: String {
        var lines = ["complete -c evidence-tool -n __fish_use_subcommand -f"]
        for verb in Verb.all {
            lines.append(
                "complete -c evidence-tool -n __fish_use_subcommand -f -a \(verb.name) -d " + quoted(verb.summary))
            for option in verb.options + [.help] {
                var words = ["complete -c evidence-tool -n '__fish_seen_subcommand_from \(verb.name)'"]
                words.append((option.name.hasPrefix("--") ? "-l " : "-s ") + option.name.drop { $0 == "-" })
                if !option.choices.isEmpty {
                    words.append("-x -a " + quoted(option.choices.joined(separator: " ")))
                } else if option.value != nil {
                    words.append("-r")
                }
                words.append("-d " + quoted(option.summary))
                lines.append(words.joined(separator: " "))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A word for any of the three shells.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
