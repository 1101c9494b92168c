package org.flowmon.ingest.file.reader;

import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.file.format.ColumnNames;

/**
 * The options of reading files; an import's readers share them and run one after the other.
 *
 * @param networks for {@code outgoing}; without any it is Zeek's {@code local_orig}, else NULL
 * @param clock for {@code arrival}, so that it goes back neither within nor between files
 * @param columns the meaning of column names in CSV and JSON
 * @param bytesRead grows by the files' bytes, before decompression, so that another thread can show
 *     progress; captures and IPFIX files are not counted
 * @param templates whose templates the data of captures may use
 * @param captures decodes all captures, so that a later one may use an earlier one's templates
 */
public record FileReadOptions(
    ProtectedNetworks networks,
    RejectedLines rejects,
    ArrivalClock clock,
    IngestCounters counters,
    ColumnNames columns,
    AtomicLong bytesRead,
    TemplateScope templates,
    ExportDecoder captures) {
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
        new AtomicLong(),
        TemplateScope.SESSION,
        decoder(counters, ProtectedNetworks.NONE, TemplateScope.SESSION));
  }

  private static ExportDecoder decoder(
      IngestCounters counters, ProtectedNetworks networks, TemplateScope templates) {
    return new ExportDecoder(
        counters,
        new BadDatagramSamples(SAMPLES_PER_REASON),
        networks,
        DecoderLimits.defaults().forFiles(),
        templates);
  }

  public FileReadOptions withNetworks(ProtectedNetworks newNetworks) {
    return new FileReadOptions(
        newNetworks,
        rejects,
        clock,
        counters,
        columns,
        bytesRead,
        templates,
        decoder(counters, newNetworks, templates));
  }

  public FileReadOptions withTemplates(TemplateScope newTemplates) {
    return new FileReadOptions(
        networks,
        rejects,
        clock,
        counters,
        columns,
        bytesRead,
        newTemplates,
        decoder(counters, networks, newTemplates));
  }

  public FileReadOptions withRejects(RejectedLines newRejects) {
    return new FileReadOptions(
        networks, newRejects, clock, counters, columns, bytesRead, templates, captures);
  }

  public FileReadOptions withColumns(ColumnNames newColumns) {
    return new FileReadOptions(
        networks, rejects, clock, counters, newColumns, bytesRead, templates, captures);
  }
}
