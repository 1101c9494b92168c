package org.flowmon.deploy.inspect;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.Facts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon inspect}: describes a segment, a sidecar or an archive. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    description = {
      "Describes a file or an archive. Of a segment, or any Parquet file: columns with types,"
          + " units, encodings, codecs, bytes, pages, statistics; properties with provenance and"
          + " checksums. Of a sidecar: what it indexes. Of an archive: flows, times, sources, gaps,"
          + " segments.",
      "Only footers and the manifest are read; flowmon verify reads every byte."
    })
public final class InspectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE|DIR|URL", description = "A segment, a sidecar, or an archive.")
  private String what;

  @Option(
      names = "--store",
      paramLabel = "KEY=VALUE",
      description = "A setting of the archive's store, as of flowmon query.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--json", description = "One JSON object instead of tables.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Facts facts = facts();
    if (json) {
      facts.writeJson(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
    } else {
      facts.print(System.out);
    }
    return ExitCodes.DONE;
  }

  private Facts facts() throws IOException {
    ArchiveLocation location;
    try {
      location = ArchiveLocation.parse(what, settings);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    if (location.isLocal() && Files.isRegularFile(location.directory())) {
      return FileFacts.of(location.directory());
    }
    if (location.isLocal() && !Files.exists(location.directory())) {
      throw new NoSuchFileException(what);
    }
    if (!Archive.exists(location)) {
      throw new CommandException("there is no archive at " + what);
    }
    try (Archive archive = Archive.open(location, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveFacts.of(snapshot);
    }
  }
}
