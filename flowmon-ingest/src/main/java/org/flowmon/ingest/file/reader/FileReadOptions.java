package org.flowmon.ingest.file.reader;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.TemplateScope;
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
 * @param templates whose templates the data of captures may use
 * @param captures decodes all captures, so that a later one may use an earlier one's templates
 * @param splitsBiflows whether a flow with both directions becomes one of each
 */
public record FileReadOptions(
    ProtectedNetworks networks,
    RejectedLines rejects,
    ArrivalClock clock,
    IngestCounters counters,
    ColumnNames columns,
    Optional<String> format,
    PacketReading packets,
    AtomicLong bytesRead,
    TemplateScope templates,
    ExportDecoder captures,
    boolean splitsBiflows) {
  private static final int SAMPLES_PER_REASON = 4;

  /** No networks, bad lines only counted, a new clock and new counters. */
  public static FileReadOptions defaults() {
    IngestCounters counters = new IngestCounters();
    return new FileReadOptions(
        ProtectedNetworks.NONE,
        RejectedLines.countOnly(),
        new ArrivalClock(),
        counters,
        ColumnNames.DEFAULTS,
        Optional.empty(),
        PacketReading.DEFAULTS,
        new AtomicLong(),
        TemplateScope.SESSION,
        decoder(counters, ProtectedNetworks.NONE, PacketReading.DEFAULTS, TemplateScope.SESSION),
        false);
  }

  private static ExportDecoder decoder(
      IngestCounters counters,
      ProtectedNetworks networks,
      PacketReading packets,
      TemplateScope templates) {
    return new ExportDecoder(
        counters,
        new BadDatagramSamples(SAMPLES_PER_REASON),
        networks,
        DecoderLimits.defaults().forFiles(),
        packets.tunnels(),
        templates);
  }

  public FileReadOptions withNetworks(ProtectedNetworks newNetworks) {
    return decoding(newNetworks, packets, templates);
  }

  public FileReadOptions withPackets(PacketReading newPackets) {
    return decoding(networks, newPackets, templates);
  }

  public FileReadOptions withTemplates(TemplateScope newTemplates) {
    return decoding(networks, packets, newTemplates);
  }

  private FileReadOptions decoding(
      ProtectedNetworks by, PacketReading reading, TemplateScope scope) {
    return new FileReadOptions(
        by,
        rejects,
        clock,
        counters,
        columns,
        format,
        reading,
        bytesRead,
        scope,
        decoder(counters, by, reading, scope),
        splitsBiflows);
  }

  public FileReadOptions withBiflowsSplit(boolean areSplit) {
    return reading(rejects, clock, columns, format, areSplit);
  }

  public FileReadOptions withRejects(RejectedLines newRejects) {
    return reading(newRejects, clock, columns, format, splitsBiflows);
  }

  public FileReadOptions withColumns(ColumnNames newColumns) {
    return reading(rejects, clock, newColumns, format, splitsBiflows);
  }

  public FileReadOptions withClock(ArrivalClock newClock) {
    return reading(rejects, newClock, columns, format, splitsBiflows);
  }

  /** {@code name} is one of {@link InputFormat#names()}. */
  public FileReadOptions withFormat(String name) {
    return reading(rejects, clock, columns, Optional.of(name), splitsBiflows);
  }

  private FileReadOptions reading(
      RejectedLines bad, ArrivalClock by, ColumnNames names, Optional<String> as, boolean split) {
    return new FileReadOptions(
        networks, bad, by, counters, names, as, packets, bytesRead, templates, captures, split);
  }

  /** The program whose text it is, if the user says it. */
  public Optional<FlowSource> source() {
    return format.flatMap(SourceTable::byName);
  }
}
