package org.flowmon.ingest.synthetic.exporter;

import java.nio.ByteBuffer;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * What NetFlow v9 (RFC 3954) and IPFIX (RFC 7011) share: sets with id, length and padding to 4
 * bytes, templates for IPv4 (256), IPv6 (257) and, if the exporter samples, options (258) with a
 * record. Templates come first and again every {@value #TEMPLATE_DATAGRAMS} datagrams or {@value
 * #TEMPLATE_MILLIS} ms.
 */
abstract sealed class TemplateEncoder extends ExportEncoder permits NetFlowV9Encoder, IpfixEncoder {
  static final int IPV4_TEMPLATE = 256;
  static final int IPV6_TEMPLATE = 257;
  static final int SAMPLING_TEMPLATE = 258;
  static final int TEMPLATE_DATAGRAMS = 200;
  static final int TEMPLATE_MILLIS = 2_000;

  private static final int SET_HEADER = 4;
  private static final int NONE = -1;
  private static final int DETERMINISTIC = 1;

  private final int headerBytes;
  private final int[][] ipv4Fields;
  private final int[][] ipv6Fields;
  private final int ipv4Record;
  private final int ipv6Record;
  private int openSet = NONE;
  private int openSetAt;
  private int datagramsSinceTemplates = TEMPLATE_DATAGRAMS;
  private long templatesSentMillis;

  /** Records in the open datagram that are not flows. */
  int templateRecords;

  int optionsRecords;

  /** {@code ipv4Fields}: element id and length, in the order of {@link #write}. */
  TemplateEncoder(
      SimulatedRouter exporter, int headerBytes, int[][] ipv4Fields, int[][] ipv6Fields) {
    super(exporter);
    this.headerBytes = headerBytes;
    this.ipv4Fields = ipv4Fields;
    this.ipv6Fields = ipv6Fields;
    this.ipv4Record = recordBytes(ipv4Fields);
    this.ipv6Record = recordBytes(ipv6Fields);
  }

  private static int recordBytes(int[][] fields) {
    int bytes = 0;
    for (int[] field : fields) {
      bytes += field[1];
    }
    return bytes;
  }

  @Override
  void begin(long nowMillis) {
    out.clear().position(headerBytes);
    openSet = NONE;
    templateRecords = 0;
    optionsRecords = 0;
    if (datagramsSinceTemplates >= TEMPLATE_DATAGRAMS
        || nowMillis - templatesSentMillis >= TEMPLATE_MILLIS) {
      if (!faults.losesTemplates()) {
        writeTemplates();
      }
      datagramsSinceTemplates = 0;
      templatesSentMillis = nowMillis;
    }
    datagramsSinceTemplates++;
  }

  private void writeTemplates() {
    openSet(templateSetId());
    template(IPV4_TEMPLATE, ipv4Fields);
    template(IPV6_TEMPLATE, ipv6Fields);
    templateRecords = 2;
    if (exporter.samplingRate() > 1) {
      writeSamplingTemplate();
      templateRecords++;
      openSet(SAMPLING_TEMPLATE);
      out.putInt(exporter.observationDomain());
      out.putInt(exporter.samplingRate()).put((byte) DETERMINISTIC);
      optionsRecords = 1;
    }
  }

  private void template(int id, int[][] fields) {
    out.putShort((short) id).putShort((short) fields.length);
    for (int[] field : fields) {
      out.putShort((short) field[0]).putShort((short) field[1]);
    }
  }

  @Override
  boolean hasRoom(SyntheticFlow flow) {
    boolean ipv4 = flow.isIpv4();
    int needed = ipv4 ? ipv4Record : ipv6Record;
    if (openSet != (ipv4 ? IPV4_TEMPLATE : IPV6_TEMPLATE)) {
      needed += SET_HEADER + 3; // padding of the previous set
    }
    return out.remaining() >= needed + 3;
  }

  @Override
  final void write(SyntheticFlow flow) {
    boolean ipv4 = flow.isIpv4();
    int set = ipv4 ? IPV4_TEMPLATE : IPV6_TEMPLATE;
    if (openSet != set) {
      openSet(set);
    }
    if (ipv4) {
      out.putInt((int) flow.srcLo).putInt((int) flow.dstLo).putInt(flow.nextHop);
    } else {
      out.putLong(flow.srcHi).putLong(flow.srcLo).putLong(flow.dstHi).putLong(flow.dstLo);
    }
    writeRest(flow, ipv4);
  }

  final void openSet(int id) {
    closeSet();
    openSet = id;
    openSetAt = out.position();
    out.putShort((short) id).putShort((short) 0);
  }

  private void closeSet() {
    if (openSet == NONE) {
      return;
    }
    while ((out.position() - openSetAt & 3) != 0) {
      out.put((byte) 0);
    }
    out.putShort(openSetAt + 2, (short) (out.position() - openSetAt));
  }

  @Override
  final void end(long nowMillis, int flows) {
    closeSet();
    writeHeader(out, nowMillis, flows);
  }

  abstract int templateSetId();

  abstract void writeSamplingTemplate();

  /** Writes all fields after the addresses and, in IPv4, the next hop. */
  abstract void writeRest(SyntheticFlow flow, boolean ipv4);

  abstract void writeHeader(ByteBuffer out, long nowMillis, int flows);
}
