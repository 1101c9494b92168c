package org.flowmon.ingest.decode.sflow;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getLong;
import static org.flowmon.flow.bytes.BigEndian.getU32;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DataSource;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.ExporterTable;
import org.flowmon.ingest.decode.exporter.ObservationDomain;
import org.flowmon.ingest.decode.exporter.WorkMeter;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.flowmon.ingest.decode.record.Sampling;
import org.jspecify.annotations.Nullable;

/**
 * sFlow version 5 (sflow.org/sflow_version_5.txt): a row for each sampled or discarded packet.
 *
 * <pre>
 * header: version 4 | agent's address type 4 (1 IPv4, 2 IPv6, 0 none) | address 4, 16 or 0
 *         | sub-agent 4 | sequence 4 | uptime 4 | samples 4
 * sample: enterprise 20 bits, format 12 bits | length 4 | body
 * record: likewise
 * </pre>
 */
public final class SflowDecoder {
  /** The first four bytes of a datagram. */
  public static final int VERSION = 5;

  // In the keys of domains, where other versions have their number.
  private static final int KEY = 64 + VERSION;
  private static final int ADDRESS_AT = 8;
  private static final int REST_BYTES = 16;
  private static final int FRAME_BYTES = 8; // format and length
  private static final int FLOW = 1;
  private static final int COUNTERS = 2;
  private static final int FLOW_EXPANDED = 3;
  private static final int COUNTERS_EXPANDED = 4;
  private static final int DISCARDED = 5;
  // Discards have a sequence of their own.
  private static final long DISCARDS = 0x100;

  private final IngestCounters counters;
  private ExporterRules rules;
  private final ExporterTable exporters;
  private final WorkMeter work;
  private final SflowHeader header = new SflowHeader();
  private final FlowSample sample = new FlowSample();
  private final PacketRecords packet;
  private final RouteRecords route = new RouteRecords();
  private final SampleWriter writer;

  // State of the current datagram.
  private byte[] bytes = {};

  @SuppressWarnings("NullAway.Init") // decode sets it
  private ObservationDomain domain;

  @SuppressWarnings("NullAway.Init") // decode sets it
  private FlowSink out;

  private Sampling configured = Sampling.NONE; // of the agent
  private @Nullable FlowBatchBuilder builder;
  private int rows;
  private int flows;
  private boolean hasCounters;
  private boolean damaged;

  public SflowDecoder(
      IngestCounters counters,
      ExporterTable exporters,
      ProtectedNetworks networks,
      TunnelHeaders prefer,
      WorkMeter work,
      ExporterRules rules) {
    this.rules = rules;
    this.counters = counters;
    this.exporters = exporters;
    this.work = work;
    packet = new PacketRecords(prefer);
    writer = new SampleWriter(networks);
  }

  public void useRules(ExporterRules newRules) {
    rules = newRules;
  }

  /** Whether it was decoded or damaged, or why it was dropped; {@code from} has its sender. */
  public IngestCounter decode(
      byte[] datagram, int offset, int length, DatagramHeader from, FlowSink sink) {
    if (length < ADDRESS_AT + REST_BYTES) {
      return IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
    }
    int type = getInt(datagram, offset + 4);
    int addressBytes = type == 1 ? 4 : type == 2 ? 16 : 0;
    if (addressBytes == 0 && type != 0) {
      return IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH;
    }
    int rest = offset + ADDRESS_AT + addressBytes;
    int end = offset + length;
    if (end - rest < REST_BYTES) {
      return IngestCounter.DATAGRAMS_DROPPED_TRUNCATED;
    }
    bytes = datagram;
    out = sink;
    damaged = false;
    flows = 0;
    hasCounters = false;
    IpAddress agent = agent(type, offset + ADDRESS_AT);
    header.agent = agent != null ? agent : from.exporter;
    configured = rules.sampling(header.agent);
    header.arrival = from.arrival;
    header.subAgent = getU32(bytes, rest);
    header.sequence = getInt(bytes, rest + 4);
    header.uptime = getInt(bytes, rest + 8);
    // The budget is the sender's; an agent may send from any of its ports.
    domain =
        exporters
            .heard(from.exporter, from.arrival)
            .domain(
                ObservationDomain.Key.of(
                    KEY, header.agent, ObservationDomain.ANY_PORT, header.subAgent),
                IngestCounter.SEQUENCE_LOST_DATAGRAMS);
    readSamples(getU32(bytes, rest + 12), rest + REST_BYTES, end);
    domain.sequence().observeUptime(header.uptime, 0);
    domain.sequence().observe(header.sequence, 1, 1, 1, header.arrival);
    if (flows > 0) {
      counters.add(IngestCounter.FLOWS_DECODED, flows);
    }
    if (flows > 0 || hasCounters) {
      exporters.decoded();
    }
    return damaged ? IngestCounter.DATAGRAMS_DAMAGED : IngestCounter.DATAGRAMS_DECODED;
  }

  /** Null if the agent names none. */
  private @Nullable IpAddress agent(int type, int at) {
    if (type == 1 && getInt(bytes, at) != 0) {
      IpAddress last = header.agent;
      long low = IpAddress.ipv4Low(getInt(bytes, at));
      return last != null && last.hi() == 0 && last.lo() == low ? last : new IpAddress(0, low);
    }
    if (type == 2 && (getLong(bytes, at) | getLong(bytes, at + 8)) != 0) {
      return new IpAddress(getLong(bytes, at), getLong(bytes, at + 8));
    }
    return null;
  }

  private void readSamples(long claimed, int start, int end) {
    int at = start;
    for (long i = 0; i < claimed; i++) {
      int left = end - at;
      long length = left < FRAME_BYTES ? 0 : getU32(bytes, at + 4);
      if (left < FRAME_BYTES || length > left - FRAME_BYTES) {
        drop(Math.min(claimed - i, 1 + left / FRAME_BYTES));
        break;
      }
      work.add(1);
      at += FRAME_BYTES;
      readSample(getInt(bytes, at - FRAME_BYTES), at, at + (int) length);
      at += (int) length;
    }
    if (builder != null) {
      out.rowsEnded(rows);
      builder = null;
    }
  }

  private void drop(long samples) {
    damaged = true;
    counters.add(IngestCounter.SAMPLES_DROPPED_BAD_LENGTH, samples);
  }

  private void readSample(int format, int at, int end) {
    int fixed =
        switch (format) {
          case FLOW -> FlowSample.BYTES;
          case FLOW_EXPANDED -> FlowSample.EXPANDED_BYTES;
          case DISCARDED -> FlowSample.DISCARD_BYTES;
          case COUNTERS -> CounterSample.BYTES;
          case COUNTERS_EXPANDED -> CounterSample.EXPANDED_BYTES;
          default -> -1;
        };
    if (fixed < 0) {
      counters.increment(IngestCounter.SAMPLES_SKIPPED_UNKNOWN);
      return;
    }
    boolean whole =
        end - at >= fixed
            && switch (format) {
              case COUNTERS, COUNTERS_EXPANDED -> readCounters(format, at, end);
              default -> readFlow(format, at, end);
            };
    if (!whole) {
      drop(1);
    }
  }

  /** False, and no row, if its records do not fit into it. */
  private boolean readFlow(int format, int start, int end) {
    int at = start;
    switch (format) {
      case FLOW -> {
        sample.read(bytes, at);
        at += FlowSample.BYTES;
      }
      case FLOW_EXPANDED -> {
        sample.readExpanded(bytes, at);
        at += FlowSample.EXPANDED_BYTES;
      }
      default -> {
        sample.readDiscard(bytes, at);
        at += FlowSample.DISCARD_BYTES;
      }
    }
    packet.clear();
    route.clear();
    for (long i = 0; i < sample.records; i++) {
      int length = recordLength(at, end);
      if (length < 0 || !readRecord(getInt(bytes, at), at + FRAME_BYTES, length)) {
        return false;
      }
      at += FRAME_BYTES + length;
    }
    writeRow();
    return true;
  }

  /** −1 if there is no whole record. */
  private int recordLength(int at, int end) {
    work.add(1);
    if (end - at < FRAME_BYTES) {
      return -1;
    }
    long length = getU32(bytes, at + 4);
    return length > end - at - FRAME_BYTES ? -1 : (int) length;
  }

  private boolean readRecord(int format, int at, int length) {
    return switch (format) {
      case 1 -> packet.readHeader(bytes, at, length);
      case 2 -> packet.readEthernet(bytes, at, length);
      case 3 -> packet.readIpv4(bytes, at, length);
      case 4 -> packet.readIpv6(bytes, at, length);
      default -> route.read(format, bytes, at, length);
    };
  }

  private void writeRow() {
    long kind = (sample.sourceType & 0xFF) | (sample.isDiscard ? DISCARDS : 0);
    DataSource source = domain.dataSource(kind, sample.sourceIndex);
    long rate = sample.rate;
    if (source != null) {
      source.observe(sample.sequence, sample.rate, sample.pool, sample.drops, header.arrival);
      rate = source.rate();
    }
    if (builder == null) {
      builder = out.builder();
      rows = 0;
    }
    if (!configured.isEmpty() && !sample.isDiscard) {
      Sampling.Rate replaced = configured.ofInterface(sample.input);
      rate = replaced.isUnknown() ? rate : replaced.rate();
    }
    writer.write(header, bytes, sample, packet, route, rate, builder);
    rows++;
    flows++;
    if (builder.isFull()) {
      out.rowsEnded(rows);
      builder = null;
    }
  }

  private boolean readCounters(int format, int start, int end) {
    boolean expanded = format == COUNTERS_EXPANDED;
    long type = expanded ? getU32(bytes, start + 4) : getU32(bytes, start + 4) >>> 24;
    long index = expanded ? getU32(bytes, start + 8) : getU32(bytes, start + 4) & 0xFF_FFFF;
    int at = start + (expanded ? CounterSample.EXPANDED_BYTES : CounterSample.BYTES);
    long records = getU32(bytes, at - 4);
    for (long i = 0; i < records; i++) {
      int length = recordLength(at, end);
      if (length < 0) {
        return false;
      }
      readCounterRecord(at, length, type & 0xFF, index);
      at += FRAME_BYTES + length;
    }
    counters.increment(IngestCounter.COUNTER_SAMPLES);
    hasCounters = true;
    return true;
  }

  private void readCounterRecord(int at, int length, long type, long index) {
    int format = getInt(bytes, at);
    if (format == CounterSample.INTERFACE && length >= CounterSample.INTERFACE_BYTES) {
      DataSource source = domain.dataSource(type, index);
      if (source != null) {
        source.setCounters(CounterSample.read(bytes, at + FRAME_BYTES, header));
      }
    } else if (format == CounterSample.PORT_NAME && type == 0) { // index is that of an interface
      byte[] name = CounterSample.name(bytes, at + FRAME_BYTES, length);
      if (name != null) {
        domain.setInterfaceName(index, name);
      }
    }
  }
}
