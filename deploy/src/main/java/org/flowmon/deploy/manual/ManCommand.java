package org.flowmon.deploy.manual;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code flowmon man}: the manual pages of the commands. */
@Command(
    name = "man",
    mixinStandardHelpOptions = true,
    description =
        "Prints the manual page of a command, or writes those of all commands to a folder.",
    footer = {
      "",
      "Examples:",
      "  flowmon man query | man -l -",
      "  flowmon man --to ~/.local/share/man/man1"
    })
public final class ManCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "COMMAND",
      description = "The words of the command, as in: analyses add. Default: flowmon itself.")
  private List<String> words = List.of();

  @Option(
      names = "--to",
      paramLabel = "DIR",
      description = "Write the page of each command to DIR, which is made if it is missing.")
  private Optional<Path> folder = Optional.empty();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    CommandLine root = spec.root().commandLine();
    String[] version = root.getCommandSpec().version();
    Map<String, String> pages = ManPage.all(root, version.length == 0 ? "flowmon" : version[0]);
    PrintWriter out = spec.commandLine().getOut();
    if (folder.isPresent()) {
      if (!words.isEmpty()) {
        throw new UsageException("--to writes the pages of all commands: name none");
      }
      Files.createDirectories(folder.get());
      for (Map.Entry<String, String> page : pages.entrySet()) {
        Files.writeString(folder.get().resolve(page.getKey() + ".1"), page.getValue());
      }
      out.println(pages.size() + " pages written to " + folder.get());
    } else {
      String name = String.join("-", words);
      String page =
          pages.get(words.isEmpty() ? root.getCommandName() : root.getCommandName() + "-" + name);
      if (page == null) {
        throw new UsageException("there is no command '" + String.join(" ", words) + "'");
      }
      out.print(page);
    }
    out.flush();
    return ExitCodes.DONE;
  }
}
