package org.flowmon.bench.imports;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.FlowStream;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;

/** Writes connections as Zeek's {@code conn.log} has them: 21 fields, TSV. */
final class ZeekLog {
  /** The fields and their types, as Zeek 6 writes them. */
  static final List<String> FIELDS =
      List.of(
          "ts time",
          "uid string",
          "id.orig_h addr",
          "id.orig_p port",
          "id.resp_h addr",
          "id.resp_p port",
          "proto enum",
          "service string",
          "duration interval",
          "orig_bytes count",
          "resp_bytes count",
          "conn_state string",
          "local_orig bool",
          "local_resp bool",
          "missed_bytes count",
          "history string",
          "orig_pkts count",
          "orig_ip_bytes count",
          "resp_pkts count",
          "resp_ip_bytes count",
          "tunnel_parents set[string]");

  private static final Instant BEGIN = Instant.parse("2026-01-14T00:00:00Z");
  private static final Duration SPAN = Duration.ofDays(1);

  private ZeekLog() {}

  /** Writes so many lines; returns the sum of {@code orig_pkts}. */
  static long write(Path file, long lines, long seed) throws IOException {
    long begin = BEGIN.toEpochMilli();
    FlowStream stream = new TrafficModel(seed, TrafficOptions.defaults()).live(begin);
    SyntheticFlow flow = new SyntheticFlow();
    StringBuilder text = new StringBuilder();
    long sum = 0;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      out.write(header().getBytes(StandardCharsets.US_ASCII));
      for (long i = 0; i < lines; i++) {
        stream.next(begin + SPAN.toMillis() * i / lines, flow);
        text.setLength(0);
        append(text, flow, i);
        out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
        sum += flow.packets;
      }
    }
    return sum;
  }

  private static String header() {
    StringBuilder names = new StringBuilder("#fields");
    StringBuilder types = new StringBuilder("#types");
    for (String field : FIELDS) {
      int blank = field.indexOf(' ');
      names.append('\t').append(field, 0, blank);
      types.append('\t').append(field, blank + 1, field.length());
    }
    return "#separator \\x09\n"
        + "#set_separator\t,\n"
        + "#empty_field\t(empty)\n"
        + "#unset_field\t-\n"
        + "#path\tconn\n"
        + names
        + "\n"
        + types
        + "\n";
  }

  private static void append(StringBuilder text, SyntheticFlow flow, long number) {
    boolean tcp = flow.protocol == SyntheticFlow.TCP;
    boolean udp = flow.protocol == SyntheticFlow.UDP;
    long answered = number % 10 == 0 ? 0 : flow.packets / 2 + 1;
    long payload = Math.max(0, flow.bytes - 40 * flow.packets);
    time(text, flow.startMillis, number);
    text.append("\tC").append(Long.toString((number * 0x9E3779B97F4A7C15L) >>> 1, 36)).append('\t');
    address(text, flow.srcHi, flow.srcLo);
    text.append('\t').append(flow.srcPort).append('\t');
    address(text, flow.dstHi, flow.dstLo);
    text.append('\t').append(flow.dstPort).append('\t');
    text.append(tcp ? "tcp" : udp ? "udp" : "icmp").append('\t');
    text.append(service(flow.dstPort)).append('\t');
    time(text, flow.endMillis - flow.startMillis, number);
    text.append('\t').append(payload).append('\t').append(answered * 310).append('\t');
    text.append(answered == 0 ? "S0" : tcp ? "SF" : "SHR").append('\t');
    text.append(flow.outgoing ? "T\tF" : "F\tT").append("\t0\t");
    text.append(answered == 0 ? "S" : "ShADadfF").append('\t');
    text.append(flow.packets).append('\t').append(flow.bytes).append('\t');
    text.append(answered).append('\t').append(answered * 350).append("\t-\n");
  }

  /** Milliseconds as seconds with six digits behind the point. */
  private static void time(StringBuilder text, long millis, long number) {
    text.append(millis / 1000).append('.');
    long micros = millis % 1000 * 1000 + number % 1000;
    text.append(1_000_000 + micros);
    text.deleteCharAt(text.length() - 7); // the leading 1
  }

  private static void address(StringBuilder text, long hi, long lo) {
    if (!IpAddress.isIpv4(hi, lo)) {
      text.append(IpAddress.format(hi, lo));
      return;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      text.append(lo >>> shift & 255).append(shift == 0 ? "" : ".");
    }
  }

  private static String service(int port) {
    return switch (port) {
      case 53 -> "dns";
      case 80 -> "http";
      case 443 -> "ssl";
      case 22 -> "ssh";
      default -> "-";
    };
  }
}
