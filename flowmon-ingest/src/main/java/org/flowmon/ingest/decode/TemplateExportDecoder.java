package org.flowmon.ingest.decode;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getU16;
import static org.flowmon.flow.bytes.BigEndian.getU32;

import java.util.Objects;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.Exporter;
import org.flowmon.ingest.decode.exporter.ExporterTable;
import org.flowmon.ingest.decode.exporter.HeldDatagram;
import org.flowmon.ingest.decode.exporter.ObservationDomain;
import org.flowmon.ingest.decode.exporter.Template;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.exporter.WaitingSets;
import org.flowmon.ingest.decode.exporter.WorkMeter;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.flowmon.ingest.decode.record.ExporterNames;
import org.flowmon.ingest.decode.record.FlowWriter;
import org.flowmon.ingest.decode.record.RecordBlock;
import org.flowmon.ingest.decode.record.RecordProgram;
import org.flowmon.ingest.decode.record.Sampling;
import org.jspecify.annotations.Nullable;

/**
 * NetFlow version 9 (RFC 3954) and IPFIX (RFC 7011): sets of templates, and of the data they
 * describe.
 *
 * <pre>
 * v9 header, 20 bytes:    version 2 | count 2 | sys_uptime 4 | unix_secs 4 | sequence 4 | source 4
 * IPFIX header, 16 bytes: version 2 | length 2 | export time 4 | sequence 4 | domain 4
 * set:                    id 2 | length 2, these 4 bytes included | body
 * </pre>
 */
final class TemplateExportDecoder {
  static final int IPFIX_HEADER_BYTES = 16;
  private static final int V9_HEADER_BYTES = 20;
  private static final IngestCounter UNDAMAGED = IngestCounter.DATAGRAMS_DECODED;
  private static final int SET_HEADER_BYTES = 4;
  private static final int FIRST_DATA_SET = 256;

  private final IngestCounters counters;
  private final ExporterTable exporters;
  private final DecoderLimits limits;
  private final RecordBlock block;
  private final FlowWriter writer;
  private final TemplateReader templates;
  private final OptionsReader options;
  private final WorkMeter work;
  private final TemplateScope scope;
  private final WaitingSets waiting;
  private byte[] packed = new byte[4096];

  // State of the current datagram.
  private boolean ipfix;
  // Its own domain; then, if data may use them (v9 has no sessions), that of templates of any port.
  private final ObservationDomain[] ownDomain = new ObservationDomain[1];
  private final ObservationDomain[] ownAndSharedDomain = new ObservationDomain[2];
  private ObservationDomain[] domains = ownDomain;
  private DatagramHeader header = new DatagramHeader();

  @SuppressWarnings("NullAway.Init") // begin sets it
  private FlowSink out;

  private int seenTemplates;
  private int seenRecords;
  private int seenFlows;
  private int tooMany;
  private long unreadBytes;
  private IngestCounter damage = UNDAMAGED;
  private HeldDatagram held;

  TemplateExportDecoder(
      IngestCounters counters,
      ExporterTable exporters,
      DecoderLimits limits,
      TemplateScope scope,
      RecordBlock block,
      FlowWriter writer,
      WorkMeter work) {
    this.counters = counters;
    this.exporters = exporters;
    this.limits = limits;
    this.work = work;
    this.block = block;
    this.writer = writer;
    this.templates = new TemplateReader(limits, counters, work);
    this.options = new OptionsReader(writer, counters);
    this.scope = scope;
    this.waiting = new WaitingSets(limits);
    this.held = exporters.nothingHeld();
  }

  /** Sets that wait for their template. */
  WaitingSets waiting() {
    return waiting;
  }

  /** The damage to a part of the last datagram, if it was {@code DATAGRAMS_DAMAGED}. */
  IngestCounter damage() {
    return damage;
  }

  /** Whether it was decoded or damaged, or why it was dropped as a whole. */
  IngestCounter decodeV9(byte[] bytes, int offset, int length, DatagramHeader h, FlowSink sink) {
    if (length < V9_HEADER_BYTES) {
      return IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
    }
    h.kind = SourceKind.NETFLOW_V9;
    h.uptime = getInt(bytes, offset + 4);
    h.hasUptime = h.uptime != 0;
    h.uptimeIsHeaders = true;
    h.exportTime = getU32(bytes, offset + 8) * 1_000_000;
    h.sequence = getU32(bytes, offset + 12);
    begin(h, sink, false, IngestCounter.SEQUENCE_LOST_DATAGRAMS, getU32(bytes, offset + 16));
    readSets(bytes, offset + V9_HEADER_BYTES, offset + length, offset + length);
    endOfFlows();
    domains[0].sequence().observe((int) h.sequence, 1, seenRecords, seenFlows, h.arrival);
    // The header counts templates and records; those not seen were in unread sets.
    int unseen = getU16(bytes, offset + 2) - seenTemplates - seenRecords;
    if (unseen > 0 && unseen <= unreadBytes && damage == UNDAMAGED) {
      held.told(unseen);
    }
    decodeWaiting();
    return damage == UNDAMAGED ? UNDAMAGED : IngestCounter.DATAGRAMS_DAMAGED;
  }

  /** Returns as {@link #decodeV9}. */
  IngestCounter decodeIpfix(byte[] bytes, int offset, int length, DatagramHeader h, FlowSink sink) {
    if (length < IPFIX_HEADER_BYTES) {
      return IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
    }
    int messageLength = getU16(bytes, offset + 2);
    if (messageLength < IPFIX_HEADER_BYTES) {
      return IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH;
    }
    if (messageLength > length) {
      return IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
    }
    h.kind = SourceKind.IPFIX;
    h.uptimeIsHeaders = false;
    h.exportTime = getU32(bytes, offset + 4) * 1_000_000;
    h.sequence = getU32(bytes, offset + 8);
    begin(h, sink, true, IngestCounter.SEQUENCE_LOST_FLOWS, getU32(bytes, offset + 12));
    // Some exporters count too few bytes: a set that begins within may end where the datagram does.
    int end = offset + messageLength;
    readSets(bytes, offset + IPFIX_HEADER_BYTES, end, offset + length);
    endOfFlows();
    domains[0]
        .sequence()
        .observe((int) h.sequence, seenRecords, seenFlows, seenFlows, unreadBytes, held, h.arrival);
    decodeWaiting();
    return damage == UNDAMAGED ? UNDAMAGED : IngestCounter.DATAGRAMS_DAMAGED;
  }

  private void begin(
      DatagramHeader h, FlowSink sink, boolean isIpfix, IngestCounter lost, long domain) {
    header = h;
    out = sink;
    ipfix = isIpfix;
    h.domain = domain;
    h.zeroStartIsUnknown = true;
    h.engineType = DatagramHeader.NONE;
    h.engineId = DatagramHeader.NONE;
    h.sampling = Sampling.UNKNOWN;
    waiting.expire(h.arrival);
    Exporter exporter = exporters.heard(h.exporter, h.arrival);
    int version = version();
    ObservationDomain.Key key = ObservationDomain.Key.of(version, h.exporter, h.port, domain);
    boolean own = isIpfix && scope == TemplateScope.SESSION;
    domains = own ? ownDomain : ownAndSharedDomain;
    if (!own) {
      ObservationDomain.Key anyPort =
          ObservationDomain.Key.of(version, h.exporter, ObservationDomain.ANY_PORT, domain);
      domains[1] = exporter.domain(anyPort, lost);
    }
    domains[0] = exporter.domain(key, lost);
    ObservationDomain.begin(domains, h);
    templates.begin();
    seenTemplates = 0;
    seenRecords = 0;
    seenFlows = 0;
    tooMany = 0;
    unreadBytes = 0;
    damage = UNDAMAGED;
    held = exporters.nothingHeld();
  }

  private void readSets(byte[] bytes, int from, int end, int limit) {
    int at = from;
    while (end - at >= SET_HEADER_BYTES) {
      int id = getU16(bytes, at);
      int length = getU16(bytes, at + 2);
      work.add(1);
      if (length < SET_HEADER_BYTES || length > limit - at) {
        if (id == 0 && length == 0) {
          break; // padding after the last set
        }
        damage(IngestCounter.SETS_DROPPED_BAD_LENGTH);
        break;
      }
      int body = at + SET_HEADER_BYTES;
      at += length;
      if (id >= FIRST_DATA_SET) {
        readData(id, bytes, body, at);
      } else if (id == (ipfix ? 2 : 0) || id == (ipfix ? 3 : 1)) {
        readTemplates(bytes, body, at, id == (ipfix ? 3 : 1));
      } else {
        damage(IngestCounter.SETS_DROPPED_RESERVED_ID);
      }
    }
  }

  private void endOfFlows() {
    if (seenFlows > 0) {
      exporters.decoded();
    }
    if (tooMany > 0) {
      counters.add(IngestCounter.FLOWS_DROPPED_TOO_MANY, tooMany);
      damage = IngestCounter.FLOWS_DROPPED_TOO_MANY;
    }
  }

  private void damage(IngestCounter reason) {
    counters.increment(reason);
    damage = reason;
  }

  private void readTemplates(byte[] bytes, int at, int end, boolean options) {
    templates.read(bytes, at, end, ipfix, options, header.arrival, domains);
    seenTemplates += templates.definitions();
    if (templates.isBad()) {
      damage = IngestCounter.TEMPLATES_DROPPED_BAD;
    }
  }

  private @Nullable Template template(int id) {
    Template template = null;
    for (int d = 0; d < domains.length && template == null; d++) {
      template = domains[d].template(id, header.arrival);
    }
    return template;
  }

  private void readData(int id, byte[] bytes, int at, int end) {
    Template template = template(id);
    if (template == null) {
      hold(id, bytes, at, end);
    } else {
      readData(template, bytes, at, end);
    }
  }

  private void hold(int id, byte[] bytes, int at, int end) {
    unreadBytes += end - at;
    HeldDatagram by =
        held == exporters.nothingHeld()
            ? new HeldDatagram(header, domains[domains.length - 1].life(), counters)
            : held;
    if (waiting.hold(by, version(), waitingPort(), id, bytes, at, end)) {
      held = by;
    } else {
      counters.increment(IngestCounter.SETS_DROPPED_NO_TEMPLATE);
    }
  }

  private int version() {
    return ipfix ? 10 : 9;
  }

  /** Sets of this domain whose templates came with this datagram. */
  private void decodeWaiting() {
    for (int i = 0; i < templates.defined() && !waiting.isEmpty(); i++) {
      work.add(1);
      decodeWaiting(templates.defined(i));
    }
  }

  private void decodeWaiting(int id) {
    DatagramHeader current = header;
    ObservationDomain[] own = domains;
    IngestCounter damageBefore = damage;
    ObservationDomain shared = own[own.length - 1];
    if (shared.template(id, current.arrival) == null) {
      return; // it was withdrawn at once
    }
    for (WaitingSets.Waiting set : waiting.take(version(), waitingPort(), current, id)) {
      work.add(1);
      if (set.datagram().life() != shared.life()) {
        set.datagram().dropped(); // the template of the exporter's next life is another
        continue;
      }
      boolean isOwnPort = set.datagram().header().port == current.port;
      domains = isOwnPort ? own : new ObservationDomain[] {shared};
      decode(set, id, current.arrival);
    }
    header = current;
    domains = own;
    damage = damageBefore; // the datagram of the set has been counted
  }

  /** Of the templates that may be used. */
  private int waitingPort() {
    return domains.length > 1 ? ObservationDomain.ANY_PORT : header.port;
  }

  private void decode(WaitingSets.Waiting set, int id, long arrival) {
    header = set.datagram().header();
    header.arrival = arrival; // flows arrive in order
    Template template = Objects.requireNonNull(template(id), "its domain has it");
    seenRecords = 0;
    seenFlows = 0;
    tooMany = 0;
    readData(template, set.bytes(), 0, set.bytes().length);
    endOfFlows();
    set.datagram().decoded(seenRecords);
  }

  private void readData(Template template, byte[] bytes, int at, int end) {
    if (ipfix) {
      // As if the header carried the uptime: an options record of this very message may give it.
      header.hasUptime = domains[0].systemInit() != 0;
      header.uptime = (int) ((header.exportTime - domains[0].systemInit()) / 1000);
    }
    int dropped = tooMany;
    int records =
        template.program().isVariable()
            ? readVariable(template, bytes, at, end)
            : readFixed(template, bytes, at, end);
    work.add((long) records * (1 + template.program().packSteps()));
    seenRecords += records;
    seenFlows += template.isOptions() ? 0 : records;
    counters.add(
        template.isOptions() ? IngestCounter.OPTIONS_RECORDS : IngestCounter.FLOWS_DECODED,
        records - (tooMany - dropped));
  }

  private int readFixed(Template template, byte[] bytes, int start, int end) {
    int stride = template.program().stride();
    int records = (end - start) / stride;
    int kept = template.isOptions() ? records : Math.min(records, flowsLeft());
    int at = start;
    for (int left = kept; left > 0; ) {
      int rows = Math.min(left, room(template));
      take(template, bytes, at, rows, bytes);
      at += rows * stride;
      left -= rows;
    }
    tooMany += records - kept;
    return records;
  }

  private int flowsLeft() {
    return Math.max(0, limits.flowsPerDatagram() - seenFlows);
  }

  private int room(Template template) {
    return template.isOptions()
        ? RecordBlock.ROWS
        : Math.min(RecordBlock.ROWS, out.builder().free());
  }

  private int readVariable(Template template, byte[] bytes, int start, int end) {
    RecordProgram program = template.program();
    if (packed.length < RecordBlock.ROWS * program.stride()) {
      packed = new byte[RecordBlock.ROWS * program.stride()];
    }
    int most = template.isOptions() ? Integer.MAX_VALUE : flowsLeft();
    int records = 0;
    int at = start;
    while (records < most && end - at >= program.minBytes()) {
      int room = Math.min(most - records, room(template));
      int rows = 0;
      while (rows < room && end - at >= program.minBytes()) {
        int next = program.pack(bytes, at, end, packed, rows * program.stride());
        if (next < 0) {
          damage(IngestCounter.RECORDS_DROPPED_TRUNCATED);
          at = end;
        } else {
          at = next;
          rows++;
        }
      }
      if (rows > 0) {
        take(template, packed, 0, rows, bytes);
        records += rows;
      } else if (!template.isOptions()) {
        out.rowsEnded(0); // room() asked for the builder
      }
    }
    return records + countRest(program, bytes, at, end);
  }

  /** Flows of variable length beyond the limit, by walking over them. */
  private int countRest(RecordProgram program, byte[] bytes, int start, int end) {
    int records = 0;
    int at = start;
    while (end - at >= program.minBytes()) {
      at = program.pack(bytes, at, end, packed, 0);
      if (at < 0) {
        damage(IngestCounter.RECORDS_DROPPED_TRUNCATED);
        break;
      }
      records++;
    }
    tooMany += records;
    return records;
  }

  private void take(Template template, byte[] bytes, int at, int rows, byte[] datagram) {
    block.load(template.program(), bytes, at, rows, datagram);
    if (template.isOptions()) {
      options.take(block, header, domains);
      return;
    }
    FlowBatchBuilder builder = out.builder();
    ObservationDomain shared = domains[domains.length - 1];
    if (template.program().hasTotals()) {
      shared.totals().apply(block, header);
    }
    Sampling own = domains[0].sampling();
    ExporterNames ownNames = domains[0].names();
    writer.write(
        block,
        header,
        own.isEmpty() ? shared.sampling() : own,
        ownNames.isEmpty() ? shared.names() : ownNames,
        builder);
    out.rowsEnded(rows);
  }
}
