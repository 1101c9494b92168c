package org.flowmon.deploy.archive;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.StopNotice;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon files}: lists the Parquet files with an archive's flows, for other tools. */
@Command(
    name = "files",
    mixinStandardHelpOptions = true,
    description = {
      "Names the Parquet files that hold the archive's flows, each flow once. The folder holds more"
          + " files than these: some were merged into others, some are not committed yet.",
      "With --format iceberg the archive becomes a table of Apache Iceberg, which Spark, Flink,"
          + " Trino, DuckDB and PyIceberg read (docs/iceberg.md): its metadata are written, and the"
          + " newest file of them is named.",
      "A file may vanish once it was merged into another. With a COMMAND behind --, all files that"
          + " it was given stay until it ends."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon files --archive DIR --format duckdb -- duckdb -init {}",
      "  flowmon files --archive DIR --format duckdb -- \\",
      "    duckdb -init {} -c \"SELECT count(*) FROM flows\"",
      "  flowmon files --archive DIR -- python3 report.py {}",
      "  flowmon files --archive DIR --format iceberg --to /srv/iceberg/flows"
    })
public final class FilesCommand implements Callable<Integer> {
  /** The argument that stands for the name of the listing's file. */
  private static final String PLACE = "{}";

  @Mixin private ArchiveOption archive;

  @Option(
      names = "--format",
      defaultValue = "list",
      description = {
        "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}. LIST: one absolute path a line. JSON:"
            + " with flows, sums and times. DUCKDB: a statement that makes a view flows of them."
            + " ICEBERG: the newest metadata.json.",
      })
  private FileListing format;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      description =
          "With --format iceberg: the folder of the table's metadata, or its URL; default: iceberg"
              + " in the archive. The settings of --store are for both.")
  private Optional<String> to = Optional.empty();

  @Parameters(
      paramLabel = "COMMAND",
      description = {
        "Behind --: a command and its arguments, run while the files are held. {} stands for the"
            + " name of a file with the listing, as the variable FLOWMON_FILES does. Its exit code"
            + " is that of flowmon files.",
      })
  private List<String> command = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (to.isPresent() && format != FileListing.ICEBERG) {
      throw new UsageException("--to is for --format iceberg alone");
    }
    Optional<ArchiveLocation> folder = to.map(place -> archive.place("--to", place));
    try (Archive opened = archive.open();
        ArchiveSnapshot snapshot = opened.snapshot()) {
      if (format == FileListing.LIST && RetentionText.hidden(snapshot) > 0) {
        System.err.printf(
            "warning: the files begin with %d flows that have expired: --format duckdb leaves them"
                + " out, --format json says where each file's others begin, and flowmon expire"
                + " --trim rewrites the files without them%n",
            RetentionText.hidden(snapshot));
      }
      if (command.isEmpty()) {
        Writer out = new OutputStreamWriter(System.out, StandardCharsets.UTF_8);
        format.write(snapshot, folder, out);
        out.flush();
        return ExitCodes.DONE;
      }
      if (!snapshot.keepsFiles()) {
        System.err.println(
            "warning: "
                + (snapshot.location().isLocal()
                    ? "nothing can be written to " + snapshot.location() + ", so nothing"
                    : snapshot.location() + " is on no disk of this host, so nothing but its grace")
                + " keeps its files while the command runs");
      }
      Path listing =
          Files.createTempFile("flowmon-files-", "." + format.name().toLowerCase(Locale.ROOT));
      try {
        try (BufferedWriter out = Files.newBufferedWriter(listing)) {
          format.write(snapshot, folder, out);
        }
        return run(listing.toString());
      } finally {
        Files.deleteIfExists(listing);
      }
    }
  }

  private int run(String listing) throws IOException, InterruptedException {
    List<String> arguments = command.stream().map(a -> a.replace(PLACE, listing)).toList();
    ProcessBuilder builder = new ProcessBuilder(arguments).inheritIO();
    builder.environment().put("FLOWMON_FILES", listing);
    Process child = builder.start();
    // The files are held as long as this process lives, so it must end after the command.
    Thread stop = new Thread(() -> end(child), "stop");
    Runtime.getRuntime().addShutdownHook(stop);
    int code = child.waitFor();
    try {
      Runtime.getRuntime().removeShutdownHook(stop);
    } catch (IllegalStateException e) {
      return code; // the hook runs: this process was told to end
    }
    return code;
  }

  private static void end(Process child) {
    StopNotice.await();
    child.destroy();
    try {
      child.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
