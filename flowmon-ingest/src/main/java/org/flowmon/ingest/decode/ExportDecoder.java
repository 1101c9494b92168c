package org.flowmon.ingest.decode;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.BiflowSplitter;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.Exporter;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.decode.exporter.ExporterTable;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.decode.exporter.SavedTemplates;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.exporter.WorkMeter;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.flowmon.ingest.decode.record.FlowWriter;
import org.flowmon.ingest.decode.record.RecordBlock;
import org.flowmon.ingest.decode.sflow.SflowDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Decodes NetFlow v5, v9 (RFC 3954), IPFIX (RFC 7011) and sFlow v5 datagrams straight into the
 * columns of a {@link FlowSink}; {@code docs/format/flow.md} lists elements, {@code exports.md}
 * beside it rules and counters. No bytes make it throw; errors are counted and samples are kept. It
 * holds its exporters' templates, sampling and sequence numbers: one for each input (collector
 * thread, file), not thread-safe.
 */
public final class ExportDecoder {
  private static final int NO_VERSION = -1;
  private static final int SFLOW = -2;

  private final IngestCounters counters;
  private final BadDatagramSamples samples;
  private final RecordBlock block = new RecordBlock();
  private final DatagramHeader header = new DatagramHeader();
  private final WorkMeter work = new WorkMeter();
  private ExporterRules rules;
  private boolean isAllowed = true; // the last sender; an unknown one is
  private final ExporterTable exporters;
  private final NetflowV5Decoder v5;
  private final TemplateExportDecoder templated;
  private final SflowDecoder sflow;
  private final BiflowSplitter splitter;
  private long split;

  /**
   * Flows of sampled packets in tunnels are those of the inner headers; IPFIX templates are those
   * of their session.
   */
  public ExportDecoder(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits) {
    this(counters, samples, networks, limits, TunnelHeaders.INNER, TemplateScope.SESSION);
  }

  public ExportDecoder(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits,
      TunnelHeaders prefer,
      TemplateScope scope) {
    this(counters, samples, networks, limits, prefer, scope, ExporterRules.NONE);
  }

  public ExportDecoder(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits,
      TunnelHeaders prefer,
      TemplateScope scope,
      ExporterRules rules) {
    this.rules = rules;
    this.counters = counters;
    this.samples = samples;
    exporters = new ExporterTable(limits, counters, work);
    splitter = new BiflowSplitter(networks);
    FlowWriter writer = new FlowWriter(networks, prefer);
    v5 = new NetflowV5Decoder(counters, exporters, block, writer);
    templated = new TemplateExportDecoder(counters, exporters, limits, scope, block, writer, work);
    sflow = new SflowDecoder(counters, exporters, networks, prefer, work, rules);
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
    if (!Objects.equals(header.exporter, exporter)) {
      header.configured = rules.sampling(exporter);
      isAllowed = rules.allows(exporter);
    }
    header.exporter = exporter;
    if (!isAllowed) {
      counters.increment(IngestCounter.DATAGRAMS_DROPPED_NOT_ALLOWED);
      return;
    }
    header.port = port;
    header.received = arrivalMicros;
    header.arrival = arrivalMicros;
    int version = version(datagram, offset, length);
    final long flows = counters.get(IngestCounter.FLOWS_DECODED);
    final long lostFlows = counters.get(IngestCounter.SEQUENCE_LOST_FLOWS);
    final long lostDatagrams = counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS);
    FlowSink to = rules.splitsBiflows() ? splitter.into(out) : out;
    IngestCounter outcome =
        switch (version) {
          case SFLOW -> sflow.decode(datagram, offset, length, header, to);
          case 5 -> v5.decode(datagram, offset, length, header, to);
          case 9 -> templated.decodeV9(datagram, offset, length, header, to);
          case 10 -> templated.decodeIpfix(datagram, offset, length, header, to);
          case NO_VERSION -> IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
          default -> IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION;
        };
    counters.add(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE, block.takeImplausible());
    counters.add(IngestCounter.TIMES_CORRECTED, block.takeCorrectedTimes());
    countSplit();
    counters.increment(outcome);
    boolean isDamaged = outcome == IngestCounter.DATAGRAMS_DAMAGED;
    if (isDamaged || outcome == IngestCounter.DATAGRAMS_DECODED) {
      exporters.count(
          version == SFLOW ? SourceKind.SFLOW : header.kind,
          isDamaged,
          counters.get(IngestCounter.FLOWS_DECODED) - flows,
          counters.get(IngestCounter.SEQUENCE_LOST_FLOWS) - lostFlows,
          counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS) - lostDatagrams,
          version == SFLOW || header.exportTime == 0 ? 0 : header.exportTime - arrivalMicros);
    } else {
      exporters.countBad(exporter);
    }
    if (outcome != IngestCounter.DATAGRAMS_DECODED) {
      IngestCounter reason = isDamaged ? damage(version) : outcome;
      samples.add(reason, datagram, offset, length, exporter, port, arrivalMicros);
    }
  }

  private void countSplit() {
    if (rules.splitsBiflows()) {
      counters.add(IngestCounter.BIFLOWS_SPLIT, splitter.split() - split);
      split = splitter.split();
    }
  }

  /**
   * Replaces the rules of the configuration from the next datagram on. Whether flows with both
   * directions are split stays.
   */
  public void useRules(ExporterRules newRules) {
    rules = newRules.withSplitBiflows(rules.splitsBiflows());
    sflow.useRules(newRules);
    header.configured = newRules.sampling(header.exporter);
    isAllowed = newRules.allows(header.exporter);
  }

  /**
   * Ends an input, so that all is counted: sets that still wait for their template are dropped, and
   * sequence numbers begin anew. Templates, rates and names stay.
   */
  public void endInput() {
    templated.waiting().dropAll();
    exporters.restartSequences();
  }

  /**
   * What is remembered of exporters, on the decoding thread.
   *
   * @param exporters all known ones, then the strangers that were heard last
   * @param strangers how many there are
   */
  public record Exporters(List<ExporterStatus> exporters, int strangers) {}

  /** With at most so many strangers, who may be forged. */
  public Exporters statuses(int mostStrangers) {
    return new Exporters(
        exporters.statuses(templated.waiting(), mostStrangers), exporters.strangers());
  }

  /**
   * The exporters whose templates are saved: a {@link SavedTemplates.Writer} takes them, some at a
   * time, and other datagrams may be decoded in between.
   */
  public List<Exporter> knownExporters() {
    return exporters.known();
  }

  /**
   * Restores what a {@link SavedTemplates.Writer} gave, before the first datagram.
   *
   * @param decoderOf the decoder of an exporter
   * @return how many templates there are; older ones than their lifetime are left out
   * @throws IOException if the bytes are damaged or no templates
   */
  public static int restoreTemplates(
      byte[] saved, Function<IpAddress, ExportDecoder> decoderOf, long nowMicros)
      throws IOException {
    return SavedTemplates.restore(saved, address -> decoderOf.apply(address).exporters, nowMicros);
  }

  /** Estimated heap of the sets that wait for their template. */
  long waitingBytes() {
    return templated.waiting().bytes();
  }

  /** sFlow has a version of 4 bytes, all others have one of 2. */
  private static int version(byte[] datagram, int offset, int length) {
    if (length < 2) {
      return NO_VERSION;
    }
    boolean isSflow = length >= 4 && BigEndian.getInt(datagram, offset) == SflowDecoder.VERSION;
    return isSflow ? SFLOW : BigEndian.getU16(datagram, offset);
  }

  private IngestCounter damage(int version) {
    return version == SFLOW ? IngestCounter.SAMPLES_DROPPED_BAD_LENGTH : templated.damage();
  }

  /**
   * The last counters of each interface of known exporters that came since then (µs), from samples
   * of sFlow's agents; call it on the thread that decodes.
   */
  public List<InterfaceCounters> interfaceCounters(long since) {
    return exporters.interfaceCounters(since);
  }

  ExporterTable exporters() {
    return exporters;
  }

  long steps() {
    return work.steps();
  }
}
