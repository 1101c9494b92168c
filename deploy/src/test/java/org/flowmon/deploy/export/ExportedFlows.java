package org.flowmon.deploy.export;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Random archives, their rows as plain objects, and the output of commands. */
public final class ExportedFlows {
  private static final long HOUR = 3_600_000_000L;
  private static final String[] TEXTS = {
    "",
    "dns",
    "a,b",
    "say \"no\"",
    "two\nlines",
    "\r",
    "\r\n",
    " blank ",
    "é€😀",
    "\u0001",
    "'; DROP",
    "=1+1",
    "'=1",
    "''-x",
    "+",
    "\t@",
    "＝A1",
    "'＠",
    "'",
    "NULL"
  };

  private ExportedFlows() {}

  /**
   * Creates an archive of random flows in several segments: absent columns, some NULLs, mixed IPv4
   * and IPv6, equal times, strays, clocks ahead, times at the ends of their range.
   *
   * @param wild whether times and texts include values that only flowmon can store
   */
  public static Path archive(Path folder, long seed, int rows, boolean wild) throws IOException {
    parts(List.of(folder), seed, rows, wild);
    return folder;
  }

  /** Creates archives that have the rows of {@link #archive} together, each some of them. */
  public static void parts(List<Path> folders, long seed, int rows, boolean wild)
      throws IOException {
    for (int part = 0; part < folders.size(); part++) {
      part(folders.get(part), part, folders.size(), seed, rows, wild);
    }
  }

  private static void part(Path folder, int part, int parts, long seed, int rows, boolean wild)
      throws IOException {
    Random random = new Random(seed);
    Map<FlowColumn, Integer> style = new TreeMap<>();
    for (FlowColumn column : FlowColumn.all()) {
      style.put(column, random.nextInt(4)); // 0 absent, 1 dense, 2 and 3 some nulls
    }
    style.put(FlowColumn.ARRIVAL, 1);
    ImportedFile file = new ImportedFile(String.format("%064x", part), "random", 0);
    try (Archive archive = Archive.create(folder, ArchiveOptions.DEFAULTS);
        ArchiveImporter importer = new ArchiveImporter(archive, file, false, 1 + rows / 4, 1)) {
      FlowBatchBuilder builder = new FlowBatchBuilder(64);
      int batches = 0;
      for (int i = 0; i < rows; i++) {
        builder.beginRow();
        for (FlowColumn column : FlowColumn.all()) {
          if (style.get(column) == 1 || (style.get(column) > 1 && random.nextInt(3) > 0)) {
            set(builder, column, random, wild);
          }
        }
        builder.endRow();
        if (builder.isFull() || i == rows - 1) {
          if (batches++ % parts == part) {
            importer.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
          }
          builder.clear();
        }
      }
      if (rows > 0) {
        importer.commit("random");
      }
    }
  }

  private static void set(FlowBatchBuilder to, FlowColumn column, Random random, boolean wild) {
    switch (column.type()) {
      case TIMESTAMP -> to.set(column, time(random, wild));
      case DURATION -> to.set(column, wild ? random.nextLong() : random.nextInt() * 1000L);
      case COUNT -> to.set(column, random.nextLong() >>> (1 + random.nextInt(62)));
      case ADDRESS -> {
        if (random.nextBoolean()) {
          to.setIpv4(column, 0x0A000000 | random.nextInt(50));
        } else {
          to.setAddress(column, 0x2001_0DB8L << 32, random.nextLong() >>> random.nextInt(64));
        }
      }
      case TEXT -> {
        String text = TEXTS[random.nextInt(TEXTS.length)];
        to.setText(column, wild && random.nextInt(50) == 0 ? text + "\0" : text);
      }
      default -> to.set(column, random.nextLong() & column.type().maxValue());
    }
  }

  private static long time(Random random, boolean wild) {
    long base = 1_795_000_000_000_000L;
    return switch (random.nextInt(wild ? 12 : 8)) {
      case 0 -> base; // equal times
      case 1 -> base + 5 * HOUR; // ahead of many arrivals
      case 2 -> base - 400L * 24 * HOUR; // a stray
      case 3 -> base + random.nextInt(3600) * 1_000_000L; // whole seconds
      case 8 -> Long.MIN_VALUE;
      case 9 -> Long.MAX_VALUE;
      case 10 -> random.nextLong();
      case 11 -> -62_135_596_800_000_000L - random.nextInt(5); // about the year 0
      default -> base + random.nextInt(100_000_000);
    };
  }

  /** The rows of an archive in the order of time, each with its values that are not NULL. */
  public static List<Map<FlowColumn, Object>> rows(Path directory) throws IOException {
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot();
        FlowScan scan = FlowScan.of(snapshot).inTimeOrder().open()) {
      for (FlowBlock block = scan.next(); block != null; block = scan.next()) {
        for (int row = 0; row < block.rows(); row++) {
          rows.add(row(block, row));
        }
      }
    }
    return rows;
  }

  private static Map<FlowColumn, Object> row(FlowBlock block, int row) {
    Map<FlowColumn, Object> values = new TreeMap<>();
    for (FlowColumn column : FlowColumn.all()) {
      if (!block.isNull(column, row)) {
        values.put(
            column,
            switch (column.type()) {
              case ADDRESS ->
                  new IpAddress(block.addressHigh(column, row), block.addressLow(column, row));
              case TEXT -> block.text(column, row);
              default -> block.longValue(column, row);
            });
      }
    }
    return values;
  }

  /** Rows without regard to their order. */
  public static List<String> sorted(List<Map<FlowColumn, Object>> rows) {
    return rows.stream().map(Object::toString).sorted().toList();
  }
}
