package org.flowmon.deploy.sketch;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.udaf.catalogue.ExportedState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon sketch merge}: merges many states into one. */
@Command(
    name = "merge",
    mixinStandardHelpOptions = true,
    description = {
      "Merges all states of the files into one, which is printed as a line of base64 or written to"
          + " a file as bytes. Bounds hold in any order."
    },
    footer = {"", "Example:", "  flowmon sketch merge monday.txt tuesday.txt --to week.state"})
final class SketchMergeCommand implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Exported states of one function.")
  private List<String> files;

  @Option(
      names = "--to",
      paramLabel = "FILE",
      description = "The file for the bytes of the state, instead of base64 on standard output.")
  private Optional<Path> to = Optional.empty();

  @Option(names = "--force", description = "Overwrite the --to file if it exists.")
  private boolean force;

  @Option(names = "--json", description = "Say as JSON what was merged, with the state as base64.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (force && to.isEmpty()) {
      throw new UsageException("--force needs --to FILE");
    }
    StateFiles reader = new StateFiles();
    StateFiles.Merged merged = reader.merge(reader.readAll(files));
    byte[] bytes = ExportedState.of(reader.function(), merged.state()).toBytes();
    if (to.isPresent()) {
      write(bytes, to.get());
    }
    String text = Base64.getEncoder().encodeToString(bytes);
    if (json) {
      Facts facts = new Facts();
      facts.value("states", merged.states());
      facts.value("function", reader.function().stateType());
      facts.value("bytes", bytes.length);
      facts.value("state", text);
      facts.writeJson(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    } else if (to.isEmpty()) {
      System.out.println(text);
    }
    System.err.printf(
        "%d states of %s merged into %d bytes%n",
        merged.states(), reader.function().stateType(), bytes.length);
    return ExitCodes.DONE;
  }

  /** Writes the file under its name only when it is complete, even if it is one of the inputs. */
  private void write(byte[] bytes, Path file) throws IOException {
    if (!force && Files.exists(file)) {
      throw new CommandException("exists already: " + file + "; --force overwrites it");
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new CommandException("--to " + file + ": there is no folder " + folder);
    }
    // Not a temporary file of Java's, which only the owner could read, without regard to the umask.
    Path part = folder.resolve(file.getFileName() + "." + UUID.randomUUID() + ".part");
    try {
      Files.write(part, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
