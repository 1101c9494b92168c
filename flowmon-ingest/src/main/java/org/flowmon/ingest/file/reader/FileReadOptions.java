package org.flowmon.ingest.file.reader;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.FlowSource;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.SourceTable;
import org.flowmon.ingest.meter.PacketReading;

/**
 * The options of reading files; an import's readers share them and run one after the other.
 *
 * @param networks for {@code outgoing}; without any it is Zeek's {@code local_orig}, else NULL
 * @param clock for {@code arrival}, so that it goes back neither within nor between files
 * @param columns the meaning of column names in CSV and JSON
 * @param format the format's or program's name if the user says it, else it is detected
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
    Optional<String> format,
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
        Optional.empty(),
        PacketReading.DEFAULTS,
        new AtomicLong());
  }

  public FileReadOptions withNetworks(ProtectedNetworks newNetworks) {
    return new FileReadOptions(
        newNetworks, rejects, clock, counters, columns, format, packets, bytesRead);
  }

  public FileReadOptions withRejects(RejectedLines newRejects) {
    return new FileReadOptions(
        networks, newRejects, clock, counters, columns, format, packets, bytesRead);
  }

  public FileReadOptions withColumns(ColumnNames newColumns) {
    return new FileReadOptions(
        networks, rejects, clock, counters, newColumns, format, packets, bytesRead);
  }

  public FileReadOptions withPackets(PacketReading newPackets) {
    return new FileReadOptions(
        networks, rejects, clock, counters, columns, format, newPackets, bytesRead);
  }

  public FileReadOptions withClock(ArrivalClock newClock) {
    return new FileReadOptions(
        networks, rejects, newClock, counters, columns, format, packets, bytesRead);
  }

  /** {@code name} is one of {@link InputFormat#names()}. */
  public FileReadOptions withFormat(String name) {
    return new FileReadOptions(
        networks, rejects, clock, counters, columns, Optional.of(name), packets, bytesRead);
  }

  /** The program whose text it is, if the user says it. */
  public Optional<FlowSource> source() {
    return format.flatMap(SourceTable::byName);
  }
}
