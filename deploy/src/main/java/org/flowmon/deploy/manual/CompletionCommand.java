package org.flowmon.deploy.manual;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code flowmon completion}: prints a script that completes commands in a shell. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description =
        "Prints the script by which a shell completes commands, options and their values.",
    footer = {
      "",
      "For the shell that runs:",
      "  source <(flowmon completion bash)",
      "  source <(flowmon completion zsh)",
      "  flowmon completion fish | source",
      "For each shell, write the script to a file that it reads:",
      "  bash  ~/.local/share/bash-completion/completions/flowmon",
      "  fish  ~/.config/fish/completions/flowmon.fish",
      "  zsh   any file that ~/.zshrc sources"
    })
public final class CompletionCommand implements Callable<Integer> {
  enum Shell {
    bash,
    zsh,
    fish
  }

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
  private Shell shell;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    CommandLine flowmon = spec.root().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    // The script of bash turns on what zsh has for such scripts.
    out.print(
        shell == Shell.fish
            ? FishCompletion.script(flowmon)
            : AutoComplete.bash(flowmon.getCommandName(), flowmon));
    out.flush();
    return ExitCodes.DONE;
  }
}
