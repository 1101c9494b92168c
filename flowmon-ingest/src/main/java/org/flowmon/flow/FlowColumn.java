package org.flowmon.flow;

import static org.flowmon.flow.ColumnType.ADDRESS;
import static org.flowmon.flow.ColumnType.BOOLEAN;
import static org.flowmon.flow.ColumnType.COUNT;
import static org.flowmon.flow.ColumnType.TEXT;
import static org.flowmon.flow.ColumnType.TIMESTAMP;
import static org.flowmon.flow.ColumnType.UINT16;
import static org.flowmon.flow.ColumnType.UINT32;
import static org.flowmon.flow.ColumnType.UINT8;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.flow.code.ExportCodes;
import org.flowmon.flow.code.Tunnel;
import org.jspecify.annotations.Nullable;

/**
 * A column of flows: one of the standard columns, which are constants here, or a user's own ({@link
 * #define}). An id is never reused; a column with a new meaning gets a new id. {@code
 * docs/format/flow.md} says what each is and where it comes from; a test compares ids, names and
 * types.
 *
 * <p>There is one instance for each id in a process, compared by identity; the order is that of the
 * ids.
 */
public final class FlowColumn implements Comparable<FlowColumn>, Serializable {
  /** The least id of a user's column; smaller ones are standard columns. */
  public static final int FIRST_OWN_ID = 192;

  /** The largest id of a column. */
  public static final int LAST_ID = 254;

  /** The largest {@link #scale}, so that texts of decimal numbers are read exactly. */
  public static final int MAX_SCALE = 1_000_000;

  private static final long serialVersionUID = 1;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  // Neither , nor : as footers of segments list units.
  private static final Pattern UNIT = Pattern.compile("[A-Za-z0-9/%*^._-]{0,16}");
  private static final Pattern SCALED = Pattern.compile(".*/(10{1,6})");
  private static final List<FlowColumn> STANDARD = new ArrayList<>();

  public static final FlowColumn START_TIME = standard(1, "start_time", TIMESTAMP, "us");
  public static final FlowColumn END_TIME = standard(2, "end_time", TIMESTAMP, "us");
  public static final FlowColumn ARRIVAL = standard(3, "arrival", TIMESTAMP, "us");
  public static final FlowColumn EXPORT_TIME = standard(4, "export_time", TIMESTAMP, "us");
  public static final FlowColumn DURATION = standard(5, "duration", ColumnType.DURATION, "us");
  public static final FlowColumn SRC_ADDR = standard(6, "src_addr", ADDRESS, "");
  public static final FlowColumn DST_ADDR = standard(7, "dst_addr", ADDRESS, "");
  public static final FlowColumn SRC_PORT = standard(8, "src_port", UINT16, "");
  public static final FlowColumn DST_PORT = standard(9, "dst_port", UINT16, "");
  public static final FlowColumn PROTOCOL = standard(10, "protocol", UINT8, "");
  public static final FlowColumn BYTES = standard(11, "bytes", COUNT, "B");
  public static final FlowColumn PACKETS = standard(12, "packets", COUNT, "packets");
  public static final FlowColumn REVERSE_BYTES = standard(13, "reverse_bytes", COUNT, "B");
  public static final FlowColumn REVERSE_PACKETS =
      standard(14, "reverse_packets", COUNT, "packets");
  public static final FlowColumn PAYLOAD_BYTES = standard(15, "payload_bytes", COUNT, "B");
  public static final FlowColumn REVERSE_PAYLOAD_BYTES =
      standard(16, "reverse_payload_bytes", COUNT, "B");
  public static final FlowColumn TCP_FLAGS = standard(17, "tcp_flags", UINT16, "bits");
  public static final FlowColumn TOS = standard(18, "tos", UINT8, "bits");
  public static final FlowColumn ICMP_TYPE_CODE = standard(19, "icmp_type_code", UINT16, "");
  public static final FlowColumn OUTGOING = standard(20, "outgoing", BOOLEAN, "");
  public static final FlowColumn STATE = standard(21, "state", UINT8, "code");
  public static final FlowColumn NEXT_HOP = standard(22, "next_hop", ADDRESS, "");
  public static final FlowColumn INPUT_IF = standard(23, "input_if", UINT32, "");
  public static final FlowColumn OUTPUT_IF = standard(24, "output_if", UINT32, "");
  public static final FlowColumn SRC_AS = standard(25, "src_as", UINT32, "");
  public static final FlowColumn DST_AS = standard(26, "dst_as", UINT32, "");
  public static final FlowColumn SRC_MASK = standard(27, "src_mask", UINT8, "bits");
  public static final FlowColumn DST_MASK = standard(28, "dst_mask", UINT8, "bits");
  public static final FlowColumn VLAN = standard(29, "vlan", UINT16, "");
  public static final FlowColumn FLOW_DIRECTION = standard(30, "flow_direction", UINT8, "code");
  public static final FlowColumn FLOW_END_REASON = standard(31, "flow_end_reason", UINT8, "code");
  public static final FlowColumn SAMPLING_RATE = standard(32, "sampling_rate", UINT32, "1/n");
  public static final FlowColumn SAMPLING_MODE = standard(33, "sampling_mode", UINT8, "code");
  public static final FlowColumn EXPORTER = standard(34, "exporter", ADDRESS, "");
  public static final FlowColumn OBSERVATION_DOMAIN =
      standard(35, "observation_domain", UINT32, "");
  public static final FlowColumn SOURCE_KIND = standard(36, "source_kind", UINT8, "code");
  public static final FlowColumn ENGINE_TYPE = standard(37, "engine_type", UINT8, "");
  public static final FlowColumn ENGINE_ID = standard(38, "engine_id", UINT8, "");
  public static final FlowColumn SYS_UPTIME = standard(39, "sys_uptime", UINT32, "ms");
  public static final FlowColumn FLOW_SEQUENCE = standard(40, "flow_sequence", UINT32, "");
  public static final FlowColumn UID = standard(41, "uid", TEXT, "");
  public static final FlowColumn SERVICE = standard(42, "service", TEXT, "");
  public static final FlowColumn HISTORY = standard(43, "history", TEXT, "");
  public static final FlowColumn POST_BYTES = standard(44, "post_bytes", COUNT, "B");
  public static final FlowColumn POST_PACKETS = standard(45, "post_packets", COUNT, "packets");
  public static final FlowColumn FORWARDING_STATUS =
      standard(46, "forwarding_status", UINT8, "code");
  public static final FlowColumn FIREWALL_EVENT = standard(47, "firewall_event", UINT8, "code");
  public static final FlowColumn NAT_EVENT = standard(48, "nat_event", UINT8, "code");
  public static final FlowColumn POST_NAT_SRC_ADDR = standard(49, "post_nat_src_addr", ADDRESS, "");
  public static final FlowColumn POST_NAT_DST_ADDR = standard(50, "post_nat_dst_addr", ADDRESS, "");
  public static final FlowColumn POST_NAT_SRC_PORT = standard(51, "post_nat_src_port", UINT16, "");
  public static final FlowColumn POST_NAT_DST_PORT = standard(52, "post_nat_dst_port", UINT16, "");
  public static final FlowColumn INGRESS_VRF = standard(53, "ingress_vrf", UINT32, "");
  public static final FlowColumn EGRESS_VRF = standard(54, "egress_vrf", UINT32, "");
  public static final FlowColumn INGRESS_VRF_NAME = standard(55, "ingress_vrf_name", TEXT, "");
  public static final FlowColumn EGRESS_VRF_NAME = standard(56, "egress_vrf_name", TEXT, "");
  public static final FlowColumn MPLS_TOP_LABEL = standard(57, "mpls_top_label", UINT32, "");
  public static final FlowColumn MPLS_LABELS = standard(58, "mpls_labels", TEXT, "");
  public static final FlowColumn SRC_MAC = standard(59, "src_mac", TEXT, "");
  public static final FlowColumn DST_MAC = standard(60, "dst_mac", TEXT, "");
  public static final FlowColumn ETHERTYPE = standard(61, "ethertype", UINT16, "");
  public static final FlowColumn POST_VLAN = standard(62, "post_vlan", UINT16, "");
  public static final FlowColumn IPV6_FLOW_LABEL = standard(63, "ipv6_flow_label", UINT32, "");
  public static final FlowColumn MIN_TTL = standard(64, "min_ttl", UINT8, "");
  public static final FlowColumn MAX_TTL = standard(65, "max_ttl", UINT8, "");
  public static final FlowColumn APPLICATION_ID = standard(66, "application_id", TEXT, "");
  public static final FlowColumn APPLICATION_NAME = standard(67, "application_name", TEXT, "");
  public static final FlowColumn USER_NAME = standard(68, "user_name", TEXT, "");
  public static final FlowColumn BGP_NEXT_HOP = standard(69, "bgp_next_hop", ADDRESS, "");
  public static final FlowColumn SAMPLER_ID = standard(70, "sampler_id", COUNT, "");
  public static final FlowColumn FLOW_ID = standard(71, "flow_id", COUNT, "");
  public static final FlowColumn FRAGMENT_FLAGS = standard(72, "fragment_flags", UINT8, "bits");
  public static final FlowColumn FRAGMENT_ID = standard(73, "fragment_id", UINT32, "");
  public static final FlowColumn SRV6_SEGMENTS = standard(74, "srv6_segments", TEXT, "");
  public static final FlowColumn VXLAN_ID = standard(75, "vxlan_id", UINT32, "");
  public static final FlowColumn TCP_RETRANSMITS =
      standard(76, "tcp_retransmits", COUNT, "packets");
  public static final FlowColumn TCP_LATENCY =
      standard(77, "tcp_latency", ColumnType.DURATION, "us");
  public static final FlowColumn OUTER_SRC_ADDR = standard(78, "outer_src_addr", ADDRESS, "");
  public static final FlowColumn OUTER_DST_ADDR = standard(79, "outer_dst_addr", ADDRESS, "");
  public static final FlowColumn TUNNEL = standard(80, "tunnel", UINT8, "code");
  public static final FlowColumn DISCARD_REASON = standard(81, "discard_reason", UINT16, "code");
  public static final FlowColumn TIME_FLAGS = standard(82, "time_flags", UINT8, "bits");
  public static final FlowColumn REVERSE_TCP_FLAGS =
      standard(83, "reverse_tcp_flags", UINT16, "bits");
  public static final FlowColumn IN_IF_NAME = standard(84, "in_if_name", TEXT, "");
  public static final FlowColumn OUT_IF_NAME = standard(85, "out_if_name", TEXT, "");
  public static final FlowColumn IN_IF_DESCRIPTION = standard(86, "in_if_description", TEXT, "");
  public static final FlowColumn OUT_IF_DESCRIPTION = standard(87, "out_if_description", TEXT, "");
  public static final FlowColumn COUNT_FLAGS = standard(88, "count_flags", UINT8, "bits");

  /** The columns known so far: replaced as a whole by each definition. */
  private static volatile Known known = new Known(STANDARD);

  /** The users' columns that this process was told of, by its configuration. */
  private static volatile List<FlowColumn> defined = List.of();

  private final int id;
  private final int ordinal;
  private final String sqlName;
  private final ColumnType type;
  private final String unit;
  private final int scale;

  private FlowColumn(int id, int ordinal, String sqlName, ColumnType type, String unit) {
    this.id = id;
    this.ordinal = ordinal;
    this.sqlName = sqlName;
    this.type = type;
    this.unit = unit;
    this.scale = scale(type, unit);
  }

  /** The {@link #scale()} of a column with this unit. */
  public static int scale(ColumnType type, String unit) {
    Matcher scaled = SCALED.matcher(unit);
    return type == ColumnType.NUMBER && scaled.matches() ? Integer.parseInt(scaled.group(1)) : 1;
  }

  private static FlowColumn standard(int id, String name, ColumnType type, String unit) {
    int last = STANDARD.isEmpty() ? 0 : STANDARD.get(STANDARD.size() - 1).id;
    if (id <= last
        || id >= FIRST_OWN_ID
        || STANDARD.stream().anyMatch(other -> other.sqlName.equals(name))) {
      throw new IllegalStateException(
          String.format(
              "standard column '%s' of id %d: expected a name of its own and an id of %d … %d",
              name, id, last + 1, FIRST_OWN_ID - 1));
    }
    FlowColumn column = new FlowColumn(id, STANDARD.size(), name, type, unit);
    STANDARD.add(column);
    return column;
  }

  private static FlowColumn add(int id, String name, ColumnType type, String unit) {
    List<FlowColumn> all = new ArrayList<>(known.all);
    FlowColumn column = new FlowColumn(id, all.size(), name, type, unit);
    all.add(column);
    known = new Known(all);
    return column;
  }

  /**
   * Defines a user's column, or finds it if it has been defined alike. Takes effect in the whole
   * process, for data that is opened or built from now on.
   *
   * @param id {@link #FIRST_OWN_ID} … {@link #LAST_ID}
   * @param name in lower case, as in queries
   * @param unit a short text, empty without
   * @throws IllegalArgumentException if id or name cannot be used, or are another column's
   */
  public static synchronized FlowColumn define(int id, String name, ColumnType type, String unit) {
    if (id < FIRST_OWN_ID || id > LAST_ID) {
      throw new IllegalArgumentException(
          String.format(
              "column '%s' has the id %d; columns of your own have ids %d … %d",
              name, id, FIRST_OWN_ID, LAST_ID));
    }
    if (!NAME.matcher(name).matches() || !UNIT.matcher(unit).matches()) {
      throw new IllegalArgumentException(
          String.format(
              "column '%s' in '%s': expected a name of a lower-case letter, then at most 62"
                  + " letters, digits and _, and a unit of at most 16 letters, digits and / %% * ^"
                  + " . _ -",
              name, unit));
    }
    FlowColumn column = byId(id);
    FlowColumn other = byName(name);
    if (column == null && other == null) {
      column = add(id, name, type, unit);
    } else if (other != null && other.id < FIRST_OWN_ID) {
      throw new IllegalArgumentException(
          String.format(
              "column '%s' of id %d has the name of a standard column (id %d); give it another name"
                  + " under the same id",
              name, id, other.id));
    } else if (column == null
        || column != other
        || column.type != type
        || column.scale != scale(type, unit)) {
      FlowColumn taken = column == null ? Objects.requireNonNull(other) : column;
      throw new IllegalArgumentException(
          String.format(
              "column '%s' (%s, scale %d) of id %d is '%s' (%s, scale %d) of id %d here; give it a"
                  + " name and an id never used before, and define it before an archive is opened",
              name, type, scale(type, unit), id, taken.sqlName, taken.type, taken.scale, taken.id));
    }
    if (!defined.contains(column)) {
      List<FlowColumn> more = new ArrayList<>(defined);
      more.add(column);
      defined = List.copyOf(more);
    }
    return column;
  }

  /**
   * The column that a file has under an id: this process's if the type is the same, whatever the
   * name (columns may be renamed); else defined by what the file says of it, so that a column of
   * another configuration, or of a newer version, is read and kept. Empty if its type differs, or
   * its name cannot be used or is another column's here: then it is read as if it were not there.
   */
  public static synchronized Optional<FlowColumn> found(
      int id, String name, ColumnType type, String unit) {
    FlowColumn same = byId(id);
    if (same != null) {
      boolean isSame = same.type == type && same.scale == scale(type, unit);
      return isSame ? Optional.of(same) : Optional.empty();
    }
    boolean fits =
        id >= 1
            && id <= LAST_ID
            && NAME.matcher(name).matches()
            && UNIT.matcher(unit).matches()
            && byName(name) == null;
    return fits ? Optional.of(add(id, name, type, unit)) : Optional.empty();
  }

  /** The users' columns that this process has defined; not those that it only found in files. */
  public static List<FlowColumn> defined() {
    return defined;
  }

  /** The stable id in batches and segments, 1 … {@link #LAST_ID}. */
  public int id() {
    return id;
  }

  /**
   * Its place in {@link #all}: an index for arrays of {@link #count} entries, which columns defined
   * later do not fit.
   */
  public int ordinal() {
    return ordinal;
  }

  /** The name in queries and files, for example {@code src_addr}. */
  public String sqlName() {
    return sqlName;
  }

  public ColumnType type() {
    return type;
  }

  /** The unit as a short text, empty if it has none. */
  public String unit() {
    return unit;
  }

  /**
   * What values are multiplied by before they are stored, so that fractions stay: 1000 for a {@link
   * ColumnType#NUMBER} of unit {@code ms/1000}; else 1.
   */
  public int scale() {
    return scale;
  }

  /** Null if its values are no codes with names. */
  public @Nullable CodeNames codeNames() {
    return Codes.NAMES.get(this);
  }

  /** All columns known so far, in the order of definition. */
  public static List<FlowColumn> all() {
    return known.all;
  }

  /** How many columns are known so far. */
  public static int count() {
    return known.all.size();
  }

  /** Case-insensitive; null if there is none. */
  public static @Nullable FlowColumn byName(String name) {
    return known.byName.get(name.toLowerCase(Locale.ROOT));
  }

  /** Null if this process does not know the id. */
  public static @Nullable FlowColumn byId(int id) {
    return id > 0 && id <= LAST_ID ? known.byId[id] : null;
  }

  @Override
  public int compareTo(FlowColumn other) {
    return Integer.compare(id, other.id);
  }

  /** The name of the constant, for example {@code SRC_ADDR}. */
  @Override
  public String toString() {
    return sqlName.toUpperCase(Locale.ROOT);
  }

  /** Another process has its own instance, and perhaps not yet this user's column. */
  private Object writeReplace() {
    return new Definition(id, sqlName, type, unit);
  }

  private record Definition(int id, String name, ColumnType type, String unit)
      implements Serializable {
    private Object readResolve() {
      FlowColumn standard = id < FIRST_OWN_ID ? byId(id) : null;
      return standard != null ? standard : define(id, name, type, unit);
    }
  }

  private static final class Codes {
    private static final Map<FlowColumn, CodeNames> NAMES =
        Map.of(
            STATE, ConnectionState.NAMES,
            SOURCE_KIND, SourceKind.NAMES,
            FORWARDING_STATUS, ExportCodes.FORWARDING_STATUS,
            FIREWALL_EVENT, ExportCodes.FIREWALL_EVENT,
            NAT_EVENT, ExportCodes.NAT_EVENT,
            TUNNEL, Tunnel.NAMES,
            DISCARD_REASON, ExportCodes.DISCARD_REASON);
  }

  /** An immutable list with its indexes. */
  private static final class Known {
    private final List<FlowColumn> all;
    private final Map<String, FlowColumn> byName = new HashMap<>();
    private final @Nullable FlowColumn[] byId = new FlowColumn[LAST_ID + 1];

    private Known(List<FlowColumn> columns) {
      all = List.copyOf(columns);
      for (FlowColumn column : all) {
        byName.put(column.sqlName, column);
        byId[column.id] = column;
      }
    }
  }
}
