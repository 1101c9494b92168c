package org.flowmon.ingest.file.reader;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.meter.PacketReading;

/**
 * The options of reading files; an import's readers share them and run one after the other.
 *
 * @param networks for {@code outgoing}; without any it is Zeek's {@code local_orig}, else NULL
 * @param clock for {@code arrival}, so that it goes back neither within nor between files
 * @param columns the meaning of column names in CSV and JSON
 * @param packets how packets of captures are read
 * @param bytesRead grows by the files' bytes, before decompression, so that another thread can show
 *     progress; captures and IPFIX files are not counted
 */
public record FileReadOptions(
    ProtectedNetworks networks,
    RejectedLines rejects,
    ArrivalClock clock,
    IngestCounters counters,
    ColumnNames columns,
    PacketReading packets,
    AtomicLong bytesRead) {

  /** No networks, bad lines only counted, a new clock and new counters. */
  public static FileReadOptions defaults() {
    return new FileReadOptions(
        ProtectedNetworks.NONE,
        RejectedLines.countOnly(),
        new ArrivalClock(),
        new IngestCounters(),
        ColumnNames.DEFAULTS,
        PacketReading.DEFAULTS,
        new AtomicLong());
  }

  public FileReadOptions withNetworks(ProtectedNetworks newNetworks) {
    return new FileReadOptions(newNetworks, rejects, clock, counters, columns, packets, bytesRead);
  }

  public FileReadOptions withRejects(RejectedLines newRejects) {
    return new FileReadOptions(networks, newRejects, clock, counters, columns, packets, bytesRead);
  }

  public FileReadOptions withPackets(PacketReading newPackets) {
    return new FileReadOptions(networks, rejects, clock, counters, columns, newPackets, bytesRead);
  }

  public FileReadOptions withColumns(ColumnNames newColumns) {
    return new FileReadOptions(networks, rejects, clock, counters, newColumns, packets, bytesRead);
  }
}
