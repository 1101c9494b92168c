package org.flowmon.deploy.archive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Failure;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.Sha256;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.input.InputOptions;
import org.flowmon.deploy.input.LiveOptions;
import org.flowmon.deploy.input.PacketsOption;
import org.flowmon.deploy.input.ReadAccount;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.file.FileReason;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.flowmon.ingest.file.reader.RejectedLines;
import org.flowmon.ingest.publish.BatchCollectingSink;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon import}: imports files straight into an archive, each wholly or not at all. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description = {
      "Takes the flows of files into an archive; their format is detected.",
      "Zeek conn.log (TSV, JSON), CSV with a header and JSON lines of flows, flow logs of AWS, GCP"
          + " and Azure, Suricata's eve.json, what nfdump, GoFlow2, pmacct, Argus and flow-export"
          + " print, files of flow-tools, pcap and pcapng that hold NetFlow, IPFIX or sFlow or,"
          + " with --from-packets, any traffic, IPFIX files, each also gzipped; files of nfcapd (by"
          + " nfdump) and Parquet.",
      "A file is taken wholly or not at all. One that was imported before is refused unless --force"
          + " is given.",
      "--follow reads a log as it grows, and goes on from where its flows are in the archive;"
          + " --from-topic reads a topic of Kafka, - standard input.",
      "Lines or rows that are no flows are kept, with file, line and reason, below DIR/rejects;"
          + " if the archive is not local, below ./rejects."
    })
public final class ImportCommand implements Callable<Integer> {
  static final String REJECTS = "rejects";

  private static final String FOLLOWED = "followed";

  private static final int BATCH_ROWS = 4096;
  // Its part of the flows, arrays to seal them and text that it parses; half of that is free.
  private static final long BYTES_OF_THREAD = 256L << 20;

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description = "Files to import; - is text on standard input.")
  private List<Path> files = List.of();

  @Mixin private LiveOptions live;

  @Option(
      names = "--every",
      paramLabel = "DURATION",
      defaultValue = "5m",
      converter = DurationConverter.class,
      description =
          "How often flows of a log, a topic or standard input become part of the archive; default"
              + " ${DEFAULT-VALUE}.")
  private Duration every;

  @Mixin private ArchiveOption archive;

  @Mixin private InputOptions input;

  @Option(names = "--force", description = "Import files that were imported before, too.")
  private boolean force;

  @Mixin private PacketsOption packets;

  @Mixin private ProfileOption profile;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "Threads that parse, and as many that seal; default: the cores, as far as there is memory"
              + " for them.")
  private Optional<Integer> threads = Optional.empty();

  @Mixin private ProgressOption progressOption;

  @SuppressWarnings("NullAway.Init") // call() sets it
  private Progress progress;

  @SuppressWarnings("NullAway.Init") // call() sets it
  private Interruption interruption;

  private final ReadAccount account = new ReadAccount("imported", "not imported");
  private FileReadOptions options = FileReadOptions.defaults().withClock(ArrivalClock.ofEnds());
  private long flows;
  private int imported;
  private boolean isFormatAsked;
  private boolean hasExports;
  // Lines that name rejects files of an archive that may not stay.
  private final List<String> rejectsFiles = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    if (threads.orElse(1) < 1) {
      throw new UsageException("--threads is at least 1");
    }
    if (files.isEmpty() == !live.isGiven()) {
      throw new UsageException("expected FILE…, --follow LOG or --from-topic TOPIC");
    }
    live.check(Map.of());
    options = packets.applyTo(input.applyTo(options));
    profile.check();
    Optional<String> coverage = Optional.empty();
    try (Interruption watched = Interruption.watch();
        Progress shown = progressOption.start();
        Archive opened = archive.openOrCreate()) {
      interruption = watched;
      progress = shown;
      profile.applyTo(opened);
      if (live.isGiven()) {
        take(live.name(), () -> takeLog(opened));
      }
      for (Path file : files) {
        if (file.toString().equals("-")) {
          LiveImport.Going going = taken -> !interruption.isStopped();
          take(file, () -> takeLive(LiveOptions.standardInput(), running(opened, going)));
        } else {
          take(file, () -> takeFile(opened, file));
        }
        interruption.check();
      }
      updateDerived(opened);
      if (imported > 0 || (live.isGiven() && account.failed() == 0) || !archive.isNew()) {
        try (ArchiveSnapshot snapshot = opened.snapshot()) {
          coverage = Optional.of(Coverage.of(snapshot).toString());
        }
      }
    }
    tellEnd(coverage);
    return account.code();
  }

  private void tellEnd(Optional<String> coverage) throws IOException {
    int inputs = files.size() + (live.isGiven() ? 1 : 0);
    System.out.printf(
        "%d of %d files, %d flows imported; lost: %s%n",
        inputs - account.failed(), inputs, flows, account.lost());
    if (coverage.isPresent()) {
      rejectsFiles.forEach(System.out::println);
      System.out.println("the archive holds " + coverage.get());
    } else if (archive.removeUnused()) {
      System.out.println("nothing was imported: no archive is left there");
    } else {
      System.out.println("nothing was imported");
    }
    if (flows == 0 && !files.isEmpty() && account.code() == ExitCodes.DONE) {
      System.err.println(
          "no flow was imported: "
              + (hasExports
                  ? "the exports have none, only templates or options"
                  : files.size() == 1
                      ? "the file can be read, but there is no record in it"
                      : "the files can be read, but there is no record in them"));
      account.atLeast(ExitCodes.NO);
    }
    if (isFormatAsked) {
      System.err.println(UnknownFormatException.supported());
    }
  }

  /** Until the command is stopped: what came so far stays. */
  private void takeLog(Archive opened) throws IOException {
    Optional<Path> places = live.log().map(this::placesOf);
    if (places.isPresent()) {
      Files.createDirectories(places.get().toAbsolutePath().getParent());
    }
    String name = live.log().map(log -> log.toAbsolutePath().toString()).orElse("topic");
    LiveImport running =
        new LiveImport(
            opened,
            name,
            places,
            every,
            taken -> !interruption.isStopped() && live.isWaitedFor(taken));
    takeLive(live.open(running.begin(), Map.of(), options), running);
  }

  private LiveImport running(Archive opened, LiveImport.Going going) {
    return new LiveImport(opened, "standard input", Optional.empty(), every, going);
  }

  private Path placesOf(Path log) {
    String hash = Sha256.of(log.toAbsolutePath().toString());
    ArchiveLocation location = archive.location();
    Path folder = location.isLocal() ? location.directory().resolve(FOLLOWED) : Path.of(FOLLOWED);
    return folder.resolve(hash.substring(0, 16));
  }

  private void takeLive(LiveOptions.Live source, LiveImport running) throws IOException {
    FileReadOptions now = options.withClock(ArrivalClock.ofWall(FlowTime::now));
    Path rejects = rejectsFolder().resolve("live-" + FlowTime.now() + ".jsonl");
    try (RejectedLines lines = RejectedLines.to(rejects, () -> {})) {
      FileSummary summary = running.read(source, now.withRejects(lines));
      add(source.name(), summary, lines, running.committed(), 0);
    } finally {
      imported += running.committed() > 0 ? 1 : 0;
      flows += running.committed();
    }
  }

  /** Takes one input into the archive. */
  private interface Taking {
    void run() throws IOException;
  }

  /** Reports a failure; the following files are still imported. */
  private void take(Path file, Taking input) {
    long before = flows;
    try {
      input.run();
    } catch (CommitRefusedException e) {
      String why = String.valueOf(e.getMessage());
      failed(
          file,
          e.reason() == CommitRefusedException.Reason.ALREADY_IMPORTED
              ? alreadyImported(file, why)
              : why,
          flows - before);
    } catch (NoSuchFileException e) {
      failed(file, "no such file", flows - before);
    } catch (UnknownFormatException e) {
      isFormatAsked |= e.isOfNoFormat(); // the supported formats are listed once, at the end
      failed(file, e.seen(), flows - before);
    } catch (IOException | RuntimeException | Error e) {
      // The file's memory is released: the next file may fit, or be of another kind.
      failed(file, Failure.of(e), flows - before);
    }
  }

  private void failed(Path file, Failure failure, long stored) {
    if (failure.isDefect()) {
      progress.clear();
      account.fail(file, failure, stored);
    } else {
      String hint = isOutOfMemory(failure) ? "; --threads 1 needs less" : "";
      failed(file, failure.line() + hint, stored);
    }
  }

  private void failed(Path file, String why, long stored) {
    progress.clear();
    account.fail(file, why, stored);
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
  private static String alreadyImported(Path file, String why) {
    String name = file.getFileName() + " ";
    return (why.startsWith(name) ? why.substring(name.length()) : why)
        + "; --force imports it again";
  }

  private int threads() {
    return threads.orElseGet(
        () ->
            Math.min(
                HeapBudget.PROCESS.tasksOf(BYTES_OF_THREAD),
                Runtime.getRuntime().availableProcessors()));
  }

  private void takeFile(Archive opened, Path file) throws IOException {
    String sha256 = Sha256.of(file, interruption::check);
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
      FileSummary summary = read(InputOptions.open(file, options.withRejects(lines)), importer);
      if (summary.damage() != null) {
        throw new IOException("damaged: " + FileReason.withoutName(file, summary.damage()));
      }
      long late = 0;
      if (importer.rows() > 0) {
        late = importer.commit("flowmon import " + file.getFileName()).lateRows();
        imported++;
      }
      flows += summary.rows();
      progress.clear();
      add(file, summary, lines, summary.rows(), late);
      if (Files.exists(rejects)) {
        tellRejects(
            "  rejected lines are in "
                + rejects
                + (lines.onlyCounted() == 0
                    ? ""
                    : ", but for the last " + lines.onlyCounted() + ", which are only counted"));
      }
    }
  }

  /** At once, or at the end if the archive stays. */
  private void tellRejects(String line) {
    if (imported > 0 || !archive.isNew()) {
      System.out.println(line);
    } else {
      rejectsFiles.add(line);
    }
  }

  /** Adds an input that was read: {@code stored} of its flows are in the archive. */
  private void add(Path file, FileSummary summary, RejectedLines lines, long stored, long late) {
    hasExports |= summary.format().isOfExports();
    account.add(summary);
    if (summary.damage() == null && summary.rows() == 0 && summary.rejectedTotal() > 0) {
      String first = lines.first().map(line -> "; " + line).orElse("");
      failed(file, "nothing in it is a flow, rejected " + ReadAccount.reasons(summary) + first, 0);
      return;
    }
    ReadAccount.tell(summary, "");
    if (summary.damage() != null) {
      failed(file, "damaged: " + FileReason.withoutName(file, summary.damage()), stored);
    }
    if (late > 0) {
      System.out.println(
          "  " + late + " of them are older than all that the archive keeps, and are not shown");
    }
    if (options.clock().aheadFlows() > 0) {
      System.err.printf(
          "warning: %s: the times of %d flows are more than a day off those around them:"
              + " they arrive with these%n",
          file, options.clock().aheadFlows());
    }
  }

  /** In a local archive's directory, else in the working directory. */
  private Path rejectsFolder() {
    ArchiveLocation location = archive.location();
    return location.isLocal() ? location.directory().resolve(REJECTS) : Path.of(REJECTS);
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

  private void add(ArchiveImporter importer, FlowBatch batch) {
    try {
      interruption.check();
      importer.add(batch);
      progress.flows(batch.rows());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
