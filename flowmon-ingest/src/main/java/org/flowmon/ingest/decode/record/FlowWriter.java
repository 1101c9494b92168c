package org.flowmon.ingest.decode.record;

import java.util.Arrays;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.jspecify.annotations.Nullable;

/** Turns records into rows; derives addresses of two families, times, ICMP and sampling. */
public final class FlowWriter {
  private static final int ROWS = RecordBlock.ROWS;
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  // Of count_flags.
  private static final int COUNTS_PAYLOAD = 1;
  private static final int MADE_OF_TOTALS = 2;

  private static final long NONE = -1; // no interface
  private static final long MAX_RATE = FlowColumn.SAMPLING_RATE.type().maxValue();

  /** By slot; null if it is combined with others. */
  private static final @Nullable FlowColumn[] DIRECT =
      Arrays.stream(Slot.ALL).map(slot -> slot.column().orElse(null)).toArray(FlowColumn[]::new);

  private final ProtectedNetworks networks;
  private final FlowTimes times = new FlowTimes();
  private final InnerHeaders headers = new InnerHeaders();
  private final Sections sections;
  private final RareColumns rare = new RareColumns();
  private final OwnColumns own = new OwnColumns();
  private final long[] zeros = new long[ROWS];
  private final long[] hi = new long[ROWS];
  private final long[] lo = new long[ROWS];
  private final long[] merged = new long[ROWS];
  private final long[] other = new long[ROWS];
  private final long[] word = new long[1];
  private long sixes;

  /** {@code prefer} is for packet sections in records. */
  public FlowWriter(ProtectedNetworks networks, TunnelHeaders prefer) {
    sections = new Sections(prefer);
    this.networks = networks;
  }

  /**
   * The builder has room; {@code sampling} and {@code names} are those of the exporter's options.
   */
  public void write(
      RecordBlock block,
      DatagramHeader header,
      Sampling sampling,
      ExporterNames names,
      FlowBatchBuilder builder) {
    builder.beginRows(block.rows());
    writeHeader(header, builder);
    headers.begin();
    if (block.program().isRare()) {
      sections.fill(block, headers);
      headers.split(block);
      for (Slot slot : Slot.ALL) { // one may have been filled by others
        putDirect(block, slot, builder);
      }
      rare.write(block, names, builder);
    } else {
      headers.split(block);
      int[] steps = block.program().steps();
      for (int s = 0; s < steps.length; s += RecordProgram.STEP) {
        putDirect(block, Slot.ALL[steps[s + 2]], builder);
      }
    }
    own.write(block, builder);
    headers.write(builder);
    rare.writeVrfNames(block, names.vrfs(), builder);
    rare.writeInterfaceNames(block, names, builder);
    sixes = sixes(block);
    writeSource(block, builder);
    writeAddress(block, Slot.DST4, Slot.DST6, FlowColumn.DST_ADDR, builder);
    writeMask(block, Slot.DST_MASK4, Slot.DST_MASK6, FlowColumn.DST_MASK, builder);
    writeNextHop(block, builder);
    times.derive(block, header);
    put(builder, FlowColumn.START_TIME, times.start, times.hasStart, block.all());
    put(builder, FlowColumn.END_TIME, times.end, times.hasEnd, block.all());
    put(builder, FlowColumn.DURATION, times.duration, times.hasDuration, block.all());
    put(builder, FlowColumn.TIME_FLAGS, times.flags, times.hasFlags, block.all());
    writeCountFlags(block, builder);
    writeIcmp(block, builder);
    writeSampling(block, header, sampling, builder);
    builder.endRows();
  }

  private void putDirect(RecordBlock block, Slot slot, FlowBatchBuilder builder) {
    FlowColumn column = DIRECT[slot.ordinal()];
    if (column != null) {
      put(builder, column, block.values(slot), block.set(slot), block.all());
    }
  }

  /** A text of options data; null if it is empty. */
  public byte @Nullable [] name(RecordBlock block, Slot slot, int row) {
    return rare.name(block, slot, row);
  }

  private static void writeHeader(DatagramHeader header, FlowBatchBuilder builder) {
    builder.setAll(FlowColumn.ARRIVAL, header.arrival);
    if (header.exportTime != 0) {
      builder.setAll(FlowColumn.EXPORT_TIME, header.exportTime);
    }
    if (header.exporter != null) {
      builder.setAllAddress(FlowColumn.EXPORTER, header.exporter.hi(), header.exporter.lo());
    }
    builder.setAll(FlowColumn.OBSERVATION_DOMAIN, header.domain);
    builder.setAll(FlowColumn.SOURCE_KIND, header.kind.code());
    builder.setAll(FlowColumn.FLOW_SEQUENCE, header.sequence);
    if (header.uptimeIsHeaders) {
      builder.setAll(FlowColumn.SYS_UPTIME, header.uptime & 0xFFFF_FFFFL);
    }
    if (header.engineType != DatagramHeader.NONE) {
      builder.setAll(FlowColumn.ENGINE_TYPE, header.engineType);
      builder.setAll(FlowColumn.ENGINE_ID, header.engineId);
    }
  }

  private void put(FlowBatchBuilder builder, FlowColumn column, long[] values, long set, long all) {
    if (set == 0) {
      return;
    }
    word[0] = set;
    builder.setColumn(column, values, set == all ? FlowBatchBuilder.ALL_SET : word);
  }

  private void putAddress(
      FlowBatchBuilder builder, FlowColumn column, long[] high, long[] low, long set, long all) {
    if (set == 0) {
      return;
    }
    word[0] = set;
    builder.setAddressColumn(column, high, low, set == all ? FlowBatchBuilder.ALL_SET : word);
  }

  /** The rows whose addresses are IPv6. */
  private static long sixes(RecordBlock block) {
    boolean four = (block.set(Slot.SRC4) | block.set(Slot.DST4)) != 0;
    boolean six = (block.set(Slot.SRC6) | block.set(Slot.DST6)) != 0;
    long sixes = six && !four ? block.all() : 0;
    for (int i = 0; four && six && i < block.rows(); i++) {
      sixes |= InnerHeaders.isSix(block, i) ? 1L << i : 0;
    }
    return sixes;
  }

  private void writeSource(RecordBlock block, FlowBatchBuilder builder) {
    writeAddress(block, Slot.SRC4, Slot.SRC6, FlowColumn.SRC_ADDR, builder);
    writeMask(block, Slot.SRC_MASK4, Slot.SRC_MASK6, FlowColumn.SRC_MASK, builder);
    long set = block.set(Slot.SRC4) | block.set(Slot.SRC6);
    if (!networks.areKnown() || set == 0) {
      return;
    }
    boolean six = block.set(Slot.SRC6) != 0;
    boolean both = six && block.set(Slot.SRC4) != 0;
    long[] high = both ? hi : six ? block.high(Slot.SRC6) : zeros;
    long[] low = both ? lo : block.values(six ? Slot.SRC6 : Slot.SRC4);
    for (int i = 0; i < block.rows(); i++) {
      merged[i] = networks.contains(high[i], low[i]) ? 1 : 0;
    }
    put(builder, FlowColumn.OUTGOING, merged, set, block.all());
  }

  /** If a template has both families, they are left in hi and lo. */
  private void writeAddress(
      RecordBlock block, Slot four, Slot six, FlowColumn column, FlowBatchBuilder builder) {
    if (block.set(six) == 0) {
      putAddress(builder, column, zeros, block.values(four), block.set(four), block.all());
    } else if (block.set(four) == 0) {
      putAddress(builder, column, block.high(six), block.values(six), block.set(six), block.all());
    } else {
      long set = 0;
      for (int i = 0; i < block.rows(); i++) {
        boolean useSix = (sixes >>> i & 1) != 0;
        hi[i] = useSix ? block.high(six)[i] : 0;
        lo[i] = block.values(useSix ? six : four)[i];
        set |= block.isSet(useSix ? six : four, i) ? 1L << i : 0;
      }
      putAddress(builder, column, hi, lo, set, block.all());
    }
  }

  private void writeMask(
      RecordBlock block, Slot four, Slot six, FlowColumn column, FlowBatchBuilder builder) {
    long set4 = block.set(four);
    long set6 = block.set(six);
    if (set4 == 0 || set6 == 0) {
      put(builder, column, block.values(set6 == 0 ? four : six), set4 | set6, block.all());
      return;
    }
    for (int i = 0; i < block.rows(); i++) {
      merged[i] = block.values((sixes >>> i & 1) != 0 ? six : four)[i];
    }
    put(builder, column, merged, (set6 & sixes) | (set4 & ~sixes), block.all());
  }

  /** Writes the next hop; a zero address means none. */
  private void writeNextHop(RecordBlock block, FlowBatchBuilder builder) {
    long four = block.set(Slot.NEXT_HOP4);
    long six = block.set(Slot.NEXT_HOP6);
    if ((four | six) == 0) {
      return;
    }
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      boolean useSix =
          six != 0 && (block.high(Slot.NEXT_HOP6)[i] | block.values(Slot.NEXT_HOP6)[i]) != 0;
      hi[i] = useSix ? block.high(Slot.NEXT_HOP6)[i] : 0;
      lo[i] = useSix ? block.values(Slot.NEXT_HOP6)[i] : block.values(Slot.NEXT_HOP4)[i];
      if (useSix || (four != 0 && (int) lo[i] != 0)) {
        set |= 1L << i;
      }
    }
    putAddress(builder, FlowColumn.NEXT_HOP, hi, lo, set, block.all());
  }

  /** Marks rows that count bytes of the payload, or whose counts were made of totals. */
  private void writeCountFlags(RecordBlock block, FlowBatchBuilder builder) {
    boolean payload = block.program().countsPayload();
    long totals = block.ofTotals();
    if (!payload && totals == 0) {
      return;
    }
    long bytes = payload ? block.set(Slot.BYTES) | block.set(Slot.REVERSE_BYTES) : 0;
    for (int i = 0; i < block.rows(); i++) {
      merged[i] = (bytes >>> i & 1) * COUNTS_PAYLOAD + (totals >>> i & 1) * MADE_OF_TOTALS;
    }
    put(builder, FlowColumn.COUNT_FLAGS, merged, bytes | totals, block.all());
  }

  private void writeIcmp(RecordBlock block, FlowBatchBuilder builder) {
    long[] protocol = block.values(Slot.PROTOCOL);
    long set = 0;
    for (int i = 0; i < block.rows(); i++) {
      merged[i] = 0; // leftovers may not fit the column
      if (!block.isSet(Slot.PROTOCOL, i) || (protocol[i] != ICMP && protocol[i] != ICMPV6)) {
        continue;
      }
      long value =
          protocol[i] == ICMP
              ? icmp(block, Slot.ICMP4, Slot.ICMP4_TYPE, Slot.ICMP4_CODE, i)
              : icmp(block, Slot.ICMP6, Slot.ICMP6_TYPE, Slot.ICMP6_CODE, i);
      if (value >= 0) {
        merged[i] = value;
        set |= 1L << i;
      }
    }
    put(builder, FlowColumn.ICMP_TYPE_CODE, merged, set, block.all());
  }

  private static long icmp(RecordBlock block, Slot both, Slot type, Slot code, int row) {
    if (block.isSet(both, row)) {
      return block.values(both)[row];
    }
    if (block.isSet(type, row) && block.isSet(code, row)) {
      return (block.values(type)[row] << 8) | block.values(code)[row];
    }
    return block.isSet(Slot.DST_PORT, row) ? block.values(Slot.DST_PORT)[row] : -1;
  }

  private void replaceRate(RecordBlock block, Sampling configured, int row) {
    boolean hasInput = block.isSet(Slot.INPUT_IF, row);
    Sampling.Rate rate = configured.ofInterface(hasInput ? block.values(Slot.INPUT_IF)[row] : NONE);
    if (!rate.isUnknown()) {
      merged[row] = rate.rate();
      other[row] = 0;
    }
  }

  private void writeSampling(
      RecordBlock block, DatagramHeader header, Sampling sampling, FlowBatchBuilder builder) {
    boolean inRecord =
        (block.set(Slot.SAMPLING_INTERVAL)
                | block.set(Slot.SAMPLING_SIZE)
                | block.set(Slot.SAMPLING_MODE)
                | block.set(Slot.SELECTOR_ALGORITHM))
            != 0;
    boolean byRow =
        !sampling.isEmpty()
            && (block.set(Slot.SAMPLER_ID) != 0
                || (sampling.hasInterfaces() && block.set(Slot.INPUT_IF) != 0));
    Sampling configured = header.configured;
    if (configured.isEmpty() && !inRecord && !byRow) {
      boolean isInHeader = !header.sampling.equals(Sampling.UNKNOWN);
      putRate(isInHeader ? header.sampling : sampling.ofAll(), builder);
      return;
    }
    long rates = 0;
    long modes = 0;
    for (int i = 0; i < block.rows(); i++) {
      Sampling.Rate told = toldFor(block, sampling, i);
      long rate = rateOf(block, i);
      int mode = modeOf(block, i);
      if (told.isUnknown()) {
        told = header.sampling;
      }
      merged[i] = rate != 0 ? rate : told.rate();
      other[i] = mode != 0 ? mode : told.mode();
      if (!configured.isEmpty()) {
        replaceRate(block, configured, i);
      }
      rates |= merged[i] != 0 ? 1L << i : 0;
      modes |= other[i] != 0 ? 1L << i : 0;
    }
    put(builder, FlowColumn.SAMPLING_RATE, merged, rates, block.all());
    put(builder, FlowColumn.SAMPLING_MODE, other, modes, block.all());
  }

  private static Sampling.Rate toldFor(RecordBlock block, Sampling sampling, int row) {
    long input = block.isSet(Slot.INPUT_IF, row) ? block.values(Slot.INPUT_IF)[row] : NONE;
    return block.isSet(Slot.SAMPLER_ID, row)
        ? sampling.ofSampler(block.values(Slot.SAMPLER_ID)[row], input)
        : sampling.ofInterface(input);
  }

  private static void putRate(Sampling.Rate rate, FlowBatchBuilder builder) {
    if (rate.rate() != 0) {
      builder.setAll(FlowColumn.SAMPLING_RATE, rate.rate());
    }
    if (rate.mode() != 0) {
      builder.setAll(FlowColumn.SAMPLING_MODE, rate.mode());
    }
  }

  /** The sampling rate: one packet of how many; 0 without. */
  public static long rateOf(RecordBlock block, int row) {
    long size = block.values(Slot.SAMPLING_SIZE)[row];
    if (block.isSet(Slot.SAMPLING_SIZE, row) && block.isSet(Slot.SAMPLING_POPULATION, row)) {
      return atMost(block.values(Slot.SAMPLING_POPULATION)[row] / size);
    }
    if (!block.isSet(Slot.SAMPLING_INTERVAL, row)) {
      return 0;
    }
    long interval = block.values(Slot.SAMPLING_INTERVAL)[row];
    if (block.isSet(Slot.SAMPLING_SPACE, row)) {
      return atMost((interval + block.values(Slot.SAMPLING_SPACE)[row]) / interval);
    }
    return interval;
  }

  private static long atMost(long rate) {
    return Math.min(rate, MAX_RATE);
  }

  /** The sampling mode: 1 deterministic, 2 random, 0 without. */
  public static int modeOf(RecordBlock block, int row) {
    if (block.isSet(Slot.SAMPLING_MODE, row)) {
      return (int) block.values(Slot.SAMPLING_MODE)[row];
    }
    if (!block.isSet(Slot.SELECTOR_ALGORITHM, row)) {
      return 0;
    }
    return switch ((int) block.values(Slot.SELECTOR_ALGORITHM)[row]) {
      case 1, 2 -> 1; // systematic: count-based, time-based
      case 3, 4 -> 2; // random: n of N, uniform probabilistic
      default -> 0;
    };
  }
}
