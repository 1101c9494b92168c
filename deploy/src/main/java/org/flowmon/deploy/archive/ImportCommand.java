package org.flowmon.deploy.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Failure;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.parquet.ParquetFlowReader;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.FileReason;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.flowmon.ingest.file.reader.RejectedLines;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.ingest.text.ShownText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon import}: imports files straight into an archive, each wholly or not at all. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description = {
      "Takes the flows of files into an archive; the format is found by itself.",
      "Zeek conn.log (TSV, JSON), CSV with a header and JSON lines of flows, pcap and pcapng that"
          + " hold NetFlow, IPFIX or sFlow, IPFIX files, each also gzipped; Parquet.",
      "A file is taken wholly or not at all. One that was imported before is refused unless --force"
          + " is given.",
      "Lines or rows that are no flows are kept, with file, line and reason, below DIR/rejects;"
          + " if the archive is not local, below ./rejects."
    })
public final class ImportCommand implements Callable<Integer> {
  private static final int BATCH_ROWS = 4096;
  // A segment that is being sealed, one that waits, and the sealing thread's scratch arrays.
  private static final long BYTES_OF_THREAD = 400L << 20;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files to import.")
  private List<Path> files;

  @Mixin private ArchiveOption archive;

  @Option(
      names = "--protected",
      paramLabel = "NETWORK",
      description =
          "A network that is protected: flows begun in one are outgoing. May be repeated.")
  private List<String> networks = List.of();

  @Option(names = "--force", description = "Import also what was imported before.")
  private boolean force;

  @Mixin private PacketsOption packets;

  @Mixin private ProfileOption profile;

  @Option(
      names = "--map",
      paramLabel = "NAME=COLUMN[:UNIT]",
      description =
          "A name in a CSV header, JSON object or Parquet file stands for this column; with a unit"
              + " s, ms or us for a time or duration. NAME= leaves it out. May be repeated.")
  private List<String> mappings = List.of();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "Threads that parse, and as many that seal; default: the cores, as far as there is memory"
              + " for them.")
  private Integer threads;

  @Mixin private ProgressOption progressOption;

  private Progress progress;
  private Interruption interruption;
  private FileReadOptions options = FileReadOptions.defaults();
  private long flows;
  private long rejected;
  private int failed;
  private boolean isFormatAsked;
  private int code = ExitCodes.DONE;

  @Override
  public Integer call() throws IOException {
    if (threads != null && threads < 1) {
      throw new UsageException("--threads is at least 1");
    }
    options = packets.applyTo(options.withColumns(columnNames()));
    if (!networks.isEmpty()) {
      options = options.withNetworks(parseNetworks());
    }
    profile.check();
    String coverage;
    try (Interruption watched = Interruption.watch();
        Progress shown = progressOption.start();
        Archive opened = archive.openOrCreate()) {
      interruption = watched;
      progress = shown;
      profile.applyTo(opened);
      for (Path file : files) {
        importFile(opened, file);
        interruption.check();
      }
      updateDerived(opened);
      try (ArchiveSnapshot snapshot = opened.snapshot()) {
        coverage = Coverage.of(snapshot).toString();
      }
    }
    System.out.printf(
        "%d of %d files, %d flows imported, %d lines or records rejected%n",
        files.size() - failed, files.size(), flows, rejected);
    System.out.println("the archive holds " + coverage);
    if (isFormatAsked) {
      System.err.println(UnknownFormatException.supported());
    }
    return code;
  }

  private void importFile(Archive opened, Path file) {
    try {
      takeFile(opened, file);
    } catch (CommitRefusedException e) {
      failed(
          file,
          e.reason() == CommitRefusedException.Reason.ALREADY_IMPORTED
              ? alreadyImported(file, e)
              : e.getMessage());
    } catch (NoSuchFileException e) {
      failed(file, "no such file");
    } catch (UnknownFormatException e) {
      isFormatAsked |= e.isOfNoFormat(); // the supported formats are listed once, at the end
      failed(file, e.seen());
    } catch (IOException | RuntimeException | Error e) {
      // The file's memory is released: the next file may fit, or be of another kind.
      failed(file, Failure.of(e));
    }
  }

  /** Reports a failed file; the following files are still imported. */
  private void failed(Path file, Failure failure) {
    code = Math.max(code, failure.isDefect() ? ExitCodes.ABORTED : ExitCodes.FAILED);
    if (failure.isDefect()) {
      progress.clear();
      failed++;
      failure.print(
          ShownText.of(file + ": not imported"),
          new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    } else {
      failed(file, failure.line() + (isOutOfMemory(failure) ? "; --threads 1 needs less" : ""));
    }
  }

  private static boolean isOutOfMemory(Failure failure) {
    return failure.code() == ExitCodes.ABORTED && failure.cause() instanceof OutOfMemoryError;
  }

  /** The import is complete without derived files; else the archive's maintenance creates them. */
  private void updateDerived(Archive opened) {
    try (MaintenanceLock lock = opened.tryMaintenance()) {
      if (lock != null) {
        opened.updateDirectory(false, interruption::isStopped);
        opened.updateDays(CompactionOptions.DEFAULTS::settled, false, interruption::isStopped);
      }
    } catch (IOException | SegmentCorruptException e) {
      System.err.println(
          "the host directory or the day sums were not brought up to date: " + e.getMessage());
    } catch (VirtualMachineError e) {
      System.err.println(
          "the host directory or the day sums were not brought up to date: "
              + Failure.of(e).line()
              + "; flowmon compact does it");
    }
  }

  /** Removes the file's name from the archive's message, because it stands in front here. */
  private static String alreadyImported(Path file, CommitRefusedException e) {
    String name = file.getFileName() + " ";
    String why = e.getMessage();
    return (why.startsWith(name) ? why.substring(name.length()) : why)
        + "; --force imports it again";
  }

  private ProtectedNetworks parseNetworks() {
    try {
      return ProtectedNetworks.parse(networks);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--protected: " + e.getMessage());
    }
  }

  private ColumnNames columnNames() {
    ColumnNames names = ColumnNames.DEFAULTS;
    for (String mapping : mappings) {
      int equals = mapping.lastIndexOf('=');
      if (equals < 1) {
        throw new UsageException("--map " + mapping + ": expected NAME=COLUMN");
      }
      try {
        names = names.with(mapping.substring(0, equals), mapping.substring(equals + 1));
      } catch (IllegalArgumentException e) {
        throw new UsageException("--map " + mapping + ": " + e.getMessage());
      }
    }
    return names;
  }

  private int threads() {
    if (threads != null) {
      return threads;
    }
    return Math.min(
        HeapBudget.PROCESS.tasksOf(BYTES_OF_THREAD), Runtime.getRuntime().availableProcessors());
  }

  private void failed(Path file, String why) {
    progress.clear();
    failed++;
    code = Math.max(code, ExitCodes.FAILED);
    System.err.println(ShownText.of(file + ": not imported: " + FileReason.withoutName(file, why)));
  }

  private void takeFile(Archive opened, Path file) throws IOException {
    String sha256 = sha256(file);
    ImportedFile identity =
        new ImportedFile(sha256, file.getFileName().toString(), Files.size(file));
    Path rejects = rejectsFolder().resolve(sha256.substring(0, 16) + ".jsonl");
    long before = options.bytesRead().get();
    options.clock().beginFile();
    progress.begin(file.toString(), identity.bytes(), () -> options.bytesRead().get() - before);
    try (RejectedLines lines = RejectedLines.to(rejects, interruption::check);
        ArchiveImporter importer =
            new ArchiveImporter(
                opened, identity, force, ArchiveImporter.DEFAULT_SEGMENT_ROWS, threads())) {
      FileSummary summary = read(open(file, options.withRejects(lines)), importer);
      if (summary.damage() != null) {
        throw new IOException("damaged: " + FileReason.withoutName(file, summary.damage()));
      }
      long late = 0;
      if (importer.rows() > 0) {
        late = importer.commit("flowmon import " + file.getFileName()).lateRows();
      }
      flows += summary.rows();
      rejected += summary.rejectedTotal();
      progress.clear();
      tell(file, summary, late);
      if (Files.exists(rejects)) {
        System.out.println(
            "  rejected lines are in "
                + rejects
                + (lines.onlyCounted() == 0
                    ? ""
                    : ", but for the last " + lines.onlyCounted() + ", which are only counted"));
      }
    }
  }

  private void tell(Path file, FileSummary summary, long late) {
    if (summary.rows() == 0 && summary.rejectedTotal() > 0) {
      failed(file, "nothing in it is a flow, rejected " + reasons(summary.rejected()));
      return;
    }
    System.out.printf(
        "%s: %s, %d flows%s%n",
        ShownText.of(file.toString()),
        summary.format().label(),
        summary.rows(),
        summary.rejected().isEmpty() ? "" : ", rejected " + reasons(summary.rejected()));
    if (late > 0) {
      System.out.println(
          "  " + late + " of them are older than all that the archive keeps, and are not shown");
    }
    if (options.clock().olderFlows() > 0) {
      System.err.printf(
          "warning: %s: %d flows are older than %s, when the files before it end, and arrive"
              + " then: name files in the order of time, or import each by itself%n",
          file, options.clock().olderFlows(), FlowTime.instant(options.clock().atBegin()));
    }
    if (options.clock().aheadFlows() > 0) {
      System.err.printf(
          "warning: %s: the times of %d flows are more than a day ahead of those around them:"
              + " they arrive with these%n",
          file, options.clock().aheadFlows());
    }
  }

  /** In a local archive's directory, else in the working directory. */
  private Path rejectsFolder() {
    ArchiveLocation location = archive.location();
    return location.isLocal() ? location.directory().resolve("rejects") : Path.of("rejects");
  }

  private static FlowFileReader open(Path file, FileReadOptions with) throws IOException {
    return InputFormat.isParquet(file)
        ? new ParquetFlowReader(file, with)
        : FlowFiles.open(file, with);
  }

  private FileSummary read(FlowFileReader reader, ArchiveImporter importer) throws IOException {
    if (reader instanceof ParallelFlowReader parallel) {
      return parallel.read(threads(), batch -> add(importer, batch));
    }
    try (BatchCollectingSink sink =
        new BatchCollectingSink(BATCH_ROWS, batch -> add(importer, batch))) {
      return reader.read(sink);
    }
  }

  private static Map<String, Long> reasons(Map<String, Long> rejected) {
    Map<String, Long> some = new TreeMap<>(rejected);
    some.values().removeIf(count -> count == 0);
    return some;
  }

  private void add(ArchiveImporter importer, FlowBatch batch) {
    try {
      interruption.check();
      importer.add(batch);
      progress.flows(batch.rows());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String sha256(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] block = new byte[1 << 16];
      try (InputStream in = Files.newInputStream(file)) {
        for (int n = in.read(block); n >= 0; n = in.read(block)) {
          interruption.check();
          digest.update(block, 0, n);
        }
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
