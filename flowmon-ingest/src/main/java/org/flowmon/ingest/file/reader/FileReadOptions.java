package org.flowmon.ingest.file.reader;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.format.ColumnNames;

/**
 * How files are read. Shared by the readers of one import, which run one after the other.
 *
 * @param networks what decides {@code outgoing}; null: Zeek's {@code local_orig}, else NULL
 * @param rejects where bad lines go
 * @param clock the clock that {@code arrival} is taken from; one for all files of an import, so
 *     that it goes back between files no more than within one
 * @param counters where decoders count
 * @param columns what the names of columns stand for, in CSV and JSON
 * @param bytesRead grows by the bytes of files as they are read, before decompression, so that
 *     another can tell how far a long file is; captures and IPFIX files are not counted
 */
public record FileReadOptions(
    ProtectedNetworks networks,
    RejectedLines rejects,
    ArrivalClock clock,
    IngestCounters counters,
    ColumnNames columns,
    AtomicLong bytesRead) {

  /** No protected networks, bad lines only counted, a new clock and new counters. */
  public static FileReadOptions defaults() {
    return new FileReadOptions(
        null,
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
