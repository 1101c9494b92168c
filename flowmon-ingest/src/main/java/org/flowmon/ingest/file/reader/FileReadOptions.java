package org.flowmon.ingest.file.reader;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.format.ColumnNames;

/**
 * The options of reading files. The readers of one import share them and run one after the other.
 *
 * @param networks the protected networks for {@code outgoing}; without any it is Zeek's {@code
 *     local_orig}, else NULL
 * @param rejects takes bad lines
 * @param clock the clock for {@code arrival}; one for all files of an import, so that it goes back
 *     neither within a file nor between files
 * @param counters the decoders' counters
 * @param columns the meaning of column names in CSV and JSON
 * @param bytesRead grows by the bytes read from files, before decompression, so that another thread
 *     can show the progress of a long file; captures and IPFIX files are not counted
 */
public record FileReadOptions(
    ProtectedNetworks networks,
    RejectedLines rejects,
    ArrivalClock clock,
    IngestCounters counters,
    ColumnNames columns,
    AtomicLong bytesRead) {

  /**
   * Returns the defaults: no protected networks, bad lines only counted, a new clock and new
   * counters.
   */
  public static FileReadOptions defaults() {
    return new FileReadOptions(
        ProtectedNetworks.NONE,
        RejectedLines.countOnly(),
        new ArrivalClock(),
        new IngestCounters(),
        ColumnNames.DEFAULTS,
        new AtomicLong());
  }

  public FileReadOptions withNetworks(ProtectedNetworks newNetworks) {
    return new FileReadOptions(newNetworks, rejects, clock, counters, columns, bytesRead);
  }

  public FileReadOptions withRejects(RejectedLines newRejects) {
    return new FileReadOptions(networks, newRejects, clock, counters, columns, bytesRead);
  }

  public FileReadOptions withColumns(ColumnNames newColumns) {
    return new FileReadOptions(networks, rejects, clock, counters, newColumns, bytesRead);
  }
}
