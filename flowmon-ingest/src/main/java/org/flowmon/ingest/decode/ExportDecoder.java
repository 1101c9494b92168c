package org.flowmon.ingest.decode;

import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterTable;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.exporter.WorkMeter;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.flowmon.ingest.decode.record.FlowWriter;
import org.flowmon.ingest.decode.record.RecordBlock;
import org.jspecify.annotations.Nullable;

/**
 * Decodes NetFlow v5, v9 (RFC 3954) and IPFIX (RFC 7011) datagrams straight into the columns of a
 * {@link FlowSink}; {@code docs/format/exports.md} lists elements and counters. No bytes make it
 * throw; errors are counted and samples are kept. It holds its exporters' templates, sampling and
 * sequence numbers: one for each input (collector thread, file), not thread-safe.
 */
public final class ExportDecoder {
  private final IngestCounters counters;
  private final BadDatagramSamples samples;
  private final RecordBlock block = new RecordBlock();
  private final DatagramHeader header = new DatagramHeader();
  private final WorkMeter work = new WorkMeter();
  private final ExporterTable exporters;
  private final NetflowV5Decoder v5;
  private final TemplateExportDecoder templated;

  /** IPFIX templates are those of their session. */
  public ExportDecoder(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits) {
    this(counters, samples, networks, limits, TemplateScope.SESSION);
  }

  public ExportDecoder(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits,
      TemplateScope scope) {
    this.counters = counters;
    this.samples = samples;
    exporters = new ExporterTable(limits, counters, work);
    FlowWriter writer = new FlowWriter(networks);
    v5 = new NetflowV5Decoder(counters, exporters, block, writer);
    templated = new TemplateExportDecoder(counters, exporters, limits, scope, block, writer, work);
  }

  /**
   * Decodes one datagram, which is only read and only until this returns.
   *
   * @param exporter its sender, null if unknown
   * @param arrivalMicros when it was received, µs since 1970; becomes {@code arrival}
   */
  public void decode(
      byte[] datagram,
      int offset,
      int length,
      @Nullable IpAddress exporter,
      int port,
      long arrivalMicros,
      FlowSink out) {
    counters.increment(IngestCounter.DATAGRAMS_RECEIVED);
    counters.add(IngestCounter.BYTES_RECEIVED, length);
    header.exporter = exporter;
    header.port = port;
    header.arrival = arrivalMicros;
    IngestCounter outcome =
        switch (length < 2 ? -1 : BigEndian.getU16(datagram, offset)) {
          case 5 -> v5.decode(datagram, offset, length, header, out);
          case 9 -> templated.decodeV9(datagram, offset, length, header, out);
          case 10 -> templated.decodeIpfix(datagram, offset, length, header, out);
          case -1 -> IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
          default -> IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION;
        };
    counters.add(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE, block.takeImplausible());
    counters.add(IngestCounter.TIMES_CORRECTED, block.takeCorrectedTimes());
    counters.increment(outcome);
    if (outcome != IngestCounter.DATAGRAMS_DECODED) {
      boolean isDamaged = outcome == IngestCounter.DATAGRAMS_DAMAGED;
      IngestCounter reason = isDamaged ? templated.damage() : outcome;
      samples.add(reason, datagram, offset, length, exporter, port, arrivalMicros);
    }
  }

  /**
   * Ends an input, so that all is counted: sets that still wait for their template are dropped, and
   * sequence numbers begin anew. Templates, rates and names stay.
   */
  public void endInput() {
    templated.waiting().dropAll();
    exporters.restartSequences();
  }

  /** Estimated heap of the sets that wait for their template. */
  long waitingBytes() {
    return templated.waiting().bytes();
  }

  ExporterTable exporters() {
    return exporters;
  }

  long steps() {
    return work.steps();
  }
}
