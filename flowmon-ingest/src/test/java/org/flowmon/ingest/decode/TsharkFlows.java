package org.flowmon.ingest.decode;

import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.JsonTree;
import org.flowmon.ingest.TestData;

/** The flows that Wireshark's dissector found in a file of exports, in the order of the records. */
final class TsharkFlows {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("MMM d, uuuu HH:mm:ss.nnnnnnnnn 'UTC'", Locale.ROOT);

  /**
   * One flow.
   *
   * @param header the fields of its datagram's header
   * @param fields the fields of its record
   */
  record Flow(Map<String, Object> header, Map<String, Object> fields) {}

  private final List<Flow> flows = new ArrayList<>();
  private final Set<String> optionsTemplates = new HashSet<>();
  private int options;
  private boolean incomplete;

  TsharkFlows(Path json) {
    for (Object packet : JsonTree.list(JsonTree.parse(TestData.read(json)))) {
      Object cflow = JsonTree.map(packet).get("cflow");
      if (cflow instanceof Map) {
        readDatagram(JsonTree.map(cflow));
      } else if (cflow instanceof List) {
        JsonTree.list(cflow).forEach(one -> readDatagram(JsonTree.map(one)));
      }
    }
  }

  List<Flow> flows() {
    return flows;
  }

  /**
   * Whether it omitted flows: it stops after as many sets as the header counts records, and some
   * exporters count otherwise.
   */
  boolean isIncomplete() {
    return incomplete;
  }

  int options() {
    return options;
  }

  private void readDatagram(Map<String, Object> cflow) {
    incomplete |= "9".equals(cflow.get("cflow.version")) && "1".equals(cflow.get("cflow.count"));
    cflow.forEach(
        (name, value) -> {
          if (name.startsWith("pdu ")) {
            flows.add(new Flow(cflow, JsonTree.map(value)));
          } else if (value instanceof Map) {
            readSet(cflow, JsonTree.map(value));
          }
        });
  }

  private void readSet(Map<String, Object> cflow, Map<String, Object> set) {
    String id = cflow.get("cflow.source_id") + "/" + set.get("cflow.flowset_id");
    set.forEach(
        (field, value) -> {
          incomplete |= field.endsWith("no template found");
          if (field.startsWith("Options Template") && value instanceof Map) {
            Object template = JsonTree.map(value).get("cflow.template_id");
            optionsTemplates.add(cflow.get("cflow.source_id") + "/" + template);
          } else if (field.startsWith("Flow ") && value instanceof Map) {
            if (optionsTemplates.contains(id)) {
              options++;
            } else {
              flows.add(new Flow(cflow, JsonTree.map(value)));
            }
          }
        });
  }

  /** The columns of a flow by Wireshark; a null means that the column must be NULL. */
  static Map<FlowColumn, Object> columns(Flow flow) {
    Map<String, Object> fields = flow.fields();
    Map<FlowColumn, Object> columns = new TreeMap<>();
    number(columns, FlowColumn.SRC_PORT, fields, "cflow.srcport");
    number(columns, FlowColumn.DST_PORT, fields, "cflow.dstport");
    number(columns, FlowColumn.PROTOCOL, fields, "cflow.protocol");
    number(columns, FlowColumn.BYTES, fields, "cflow.octets");
    number(columns, FlowColumn.PACKETS, fields, "cflow.packets");
    number(columns, FlowColumn.TCP_FLAGS, fields, "cflow.tcpflags");
    number(columns, FlowColumn.TOS, fields, "cflow.tos");
    number(columns, FlowColumn.INPUT_IF, fields, "cflow.inputint");
    number(columns, FlowColumn.OUTPUT_IF, fields, "cflow.outputint");
    number(columns, FlowColumn.VLAN, fields, "cflow.vlanid");
    number(columns, FlowColumn.FLOW_DIRECTION, fields, "cflow.direction");
    number(columns, FlowColumn.FLOW_END_REASON, fields, "cflow.flow_end_reason");
    number(columns, FlowColumn.SRC_AS, fields, "cflow.srcas");
    number(columns, FlowColumn.DST_AS, fields, "cflow.dstas");
    number(columns, FlowColumn.SRC_MASK, fields, "cflow.srcmask");
    number(columns, FlowColumn.DST_MASK, fields, "cflow.dstmask");
    address(columns, FlowColumn.SRC_ADDR, fields, "cflow.srcaddr", "cflow.srcaddrv6");
    address(columns, FlowColumn.DST_ADDR, fields, "cflow.dstaddr", "cflow.dstaddrv6");
    address(columns, FlowColumn.NEXT_HOP, fields, "cflow.nexthop", "cflow.nexthopv6");
    rare(columns, fields);
    for (FlowColumn zeroIsNull : List.of(FlowColumn.SRC_AS, FlowColumn.DST_AS)) {
      columns.computeIfPresent(zeroIsNull, (c, v) -> v.equals(0L) ? null : v);
    }
    columns.computeIfPresent(FlowColumn.FLOW_DIRECTION, (c, v) -> (Long) v > 1 ? null : v);
    if (fields.get("cflow.timedelta_tree") instanceof Map) {
      Map<String, Object> times = JsonTree.map(fields.get("cflow.timedelta_tree"));
      time(columns, FlowColumn.START_TIME, flow.header(), times, "start");
      time(columns, FlowColumn.END_TIME, flow.header(), times, "end");
    }
    return columns;
  }

  private static void rare(Map<FlowColumn, Object> columns, Map<String, Object> fields) {
    number(columns, FlowColumn.POST_BYTES, fields, "cflow.post_octets");
    number(columns, FlowColumn.POST_PACKETS, fields, "cflow.post_packets");
    number(columns, FlowColumn.SAMPLER_ID, fields, "cflow.selector_id");
    number(columns, FlowColumn.SAMPLER_ID, fields, "cflow.sampler_id");
    number(columns, FlowColumn.INGRESS_VRF, fields, "cflow.ingress_vrfid");
    number(columns, FlowColumn.EGRESS_VRF, fields, "cflow.egress_vrfid");
    number(columns, FlowColumn.IPV6_FLOW_LABEL, fields, "cflow.ipv6flowlabel");
    number(columns, FlowColumn.MIN_TTL, fields, "cflow.ttl_min");
    number(columns, FlowColumn.MAX_TTL, fields, "cflow.ttl_max");
    number(columns, FlowColumn.FRAGMENT_ID, fields, "cflow.frag_ident");
    number(columns, FlowColumn.FIREWALL_EVENT, fields, "cflow.firewall_event");
    number(columns, FlowColumn.POST_VLAN, fields, "cflow.post_vlanid");
    number(columns, FlowColumn.FLOW_ID, fields, "cflow.flow_id");
    String napt = "cflow.post_napt";
    number(columns, FlowColumn.POST_NAT_SRC_PORT, fields, napt + "source_transport_port");
    number(columns, FlowColumn.POST_NAT_DST_PORT, fields, napt + "destination_transport_port");
    for (FlowColumn zeroIsNull :
        List.of(FlowColumn.FLOW_ID, FlowColumn.POST_NAT_SRC_PORT, FlowColumn.POST_NAT_DST_PORT)) {
      columns.computeIfPresent(zeroIsNull, (c, v) -> v.equals(0L) ? null : v);
    }
    String nat = "cflow.post_nat";
    address(columns, FlowColumn.POST_NAT_SRC_ADDR, fields, nat + "source_ipv4_address", "-");
    address(columns, FlowColumn.POST_NAT_DST_ADDR, fields, nat + "destination_ipv4_address", "-");
    address(columns, FlowColumn.BGP_NEXT_HOP, fields, "cflow.bgpnexthop", "cflow.bgpnexthopv6");
    mac(columns, FlowColumn.SRC_MAC, fields, "cflow.srcmac", "cflow.post_srcmac");
    mac(columns, FlowColumn.DST_MAC, fields, "cflow.dstmac", "cflow.post_dstmac");
    if (fields.get("cflow.aaa_username") instanceof String name) {
      columns.put(FlowColumn.USER_NAME, name.isEmpty() ? null : name);
    }
    StringBuilder labels = new StringBuilder();
    for (int l = 1; l <= 10; l++) {
      for (Map.Entry<String, Object> field : fields.entrySet()) {
        if (field.getKey().startsWith("MPLS-Label" + l + ": ")) {
          Map<String, Object> label = JsonTree.map(field.getValue());
          boolean isNone =
              List.of(label.get("cflow.mpls_label"), label.get("cflow.mpls_exp"))
                      .equals(List.of("0", "0"))
                  && label.get("cflow.mpls_bos").equals("0");
          labels.append(isNone ? "" : "," + label.get("cflow.mpls_label"));
        }
      }
    }
    if (labels.length() > 0) {
      columns.put(FlowColumn.MPLS_LABELS, labels.substring(1));
    }
    if (fields.get("Forwarding Status") instanceof Map) {
      Map<String, Object> status = JsonTree.map(fields.get("Forwarding Status"));
      long code = 0;
      for (String reason : List.of("forward", "drop", "consume", "unknown")) {
        Object value = status.get("cflow.forwarding_status_" + reason + "_code");
        code += value == null ? 0 : Long.parseLong((String) value);
      }
      columns.put(
          FlowColumn.FORWARDING_STATUS,
          Long.parseLong((String) status.get("cflow.forwarding_status")) * 64 + code);
    }
  }

  private static void mac(
      Map<FlowColumn, Object> columns,
      FlowColumn column,
      Map<String, Object> fields,
      String name,
      String other) {
    if (fields.getOrDefault(name, fields.get(other)) instanceof String mac) {
      columns.put(column, mac.equals("00:00:00:00:00:00") ? null : mac);
    }
  }

  private static void number(
      Map<FlowColumn, Object> columns, FlowColumn column, Map<String, Object> fields, String name) {
    if (fields.get(name) instanceof String text) {
      columns.put(column, Long.decode(text));
    }
  }

  private static void address(
      Map<FlowColumn, Object> columns,
      FlowColumn column,
      Map<String, Object> fields,
      String four,
      String six) {
    Object v4 = fields.get(four);
    Object v6 = fields.get(six);
    if (v6 instanceof String text && !text.equals("::")) {
      columns.put(column, IpAddress.parse(text));
    } else if (v4 instanceof String text
        && (column == FlowColumn.SRC_ADDR
            || column == FlowColumn.DST_ADDR
            || !text.equals("0.0.0.0"))) {
      columns.put(column, IpAddress.parse(text));
    }
  }

  private static void time(
      Map<FlowColumn, Object> columns,
      FlowColumn column,
      Map<String, Object> header,
      Map<String, Object> times,
      String edge) {
    if (times.get("cflow.abstime" + edge) instanceof String date) {
      Instant time =
          LocalDateTime.parse(date.replaceAll(" +", " "), DATE).toInstant(ZoneOffset.UTC);
      long micros = ChronoUnit.MICROS.between(Instant.EPOCH, time);
      if (micros != 0) {
        columns.put(column, micros);
      }
    } else if (times.get("cflow.time" + edge) instanceof String uptime
        && header.get("cflow.sysuptime") instanceof String now
        && header.get("cflow.timestamp_tree") instanceof Map) {
      Map<String, Object> stamp = JsonTree.map(header.get("cflow.timestamp_tree"));
      long secs = Long.parseLong((String) stamp.get("cflow.unix_secs"));
      long nanos = Long.parseLong((String) stamp.getOrDefault("cflow.unix_nsecs", "0"));
      if (secs != 0 && millis(now) != 0 && millis(uptime) != 0) {
        long later = millis(uptime) - millis(now);
        long wrapped = later > 3_600_000 ? later - (1L << 32) : later;
        columns.put(column, secs * 1_000_000 + nanos / 1000 + wrapped * 1000);
      }
    }
  }

  private static long millis(String seconds) {
    return Math.round(Double.parseDouble(seconds) * 1000);
  }
}
