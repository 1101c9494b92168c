package org.flowmon.bench.archive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.ParallelFlowReader;

/**
 * Loads the workload into an archive from a CSV file, like {@code flowmon import}: reading,
 * parsing, sorting, sealing with indexes, commit.
 */
public final class CsvLoad {
  private CsvLoad() {}

  /**
   * The measured rate of loading.
   *
   * @param bytes of the file
   */
  public record Loaded(double rowsPerSecond, long bytes) {}

  /**
   * Measures the loading.
   *
   * @param folder for the archive and, unless the workload is a file, for the file; both are small
   *     beside the compared data, and stay
   * @param threads that parse, and as many that seal
   */
  public static Loaded measure(Workload workload, Path folder, int threads) throws IOException {
    Path file =
        workload instanceof CsvWorkload csv
            ? csv.file()
            : write(workload, folder.resolve("workload.csv"));
    long start = System.nanoTime();
    FileSummary summary;
    try (Archive archive = Archive.create(folder.resolve("csv-archive"), ArchiveOptions.DEFAULTS);
        ArchiveImporter importer =
            new ArchiveImporter(
                archive,
                new ImportedFile("0".repeat(64), "workload", Files.size(file)),
                false,
                ArchiveImporter.DEFAULT_SEGMENT_ROWS,
                threads)) {
      ParallelFlowReader reader = (ParallelFlowReader) FlowFiles.open(file);
      summary = reader.read(threads, batch -> add(importer, batch));
      importer.commit("flowmon bench archive, from CSV");
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    if (summary.rows() != workload.parameters().rows() || summary.rejectedTotal() > 0) {
      throw new IOException(
          file + ": " + summary.rows() + " flows and rejected lines " + summary.rejected());
    }
    return new Loaded(summary.rows() / seconds, Files.size(file));
  }

  private static void add(ArchiveImporter importer, FlowBatch batch) {
    try {
      importer.add(batch);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path write(Workload workload, Path file) throws IOException {
    try (CsvFile out = new CsvFile(file)) {
      workload.read(out::write);
    }
    return file;
  }
}
