package org.flowmon.ingest.synthetic.exporter;

import java.nio.ByteBuffer;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * NetFlow version 9 (RFC 3954). Uptime and seconds are of the next full second, so that no flow
 * ends later and its times are exact. The sequence number counts datagrams, the count field all
 * records, including templates.
 *
 * <pre>
 * header  0 version 2 count 4 sysUptime 8 unix seconds 12 sequence 16 source id
 * </pre>
 */
final class NetFlowV9Encoder extends TemplateEncoder {
  static final int HEADER = 20;
  private static final int OPTIONS_TEMPLATE_SET = 1;
  private static final int SCOPE_SYSTEM = 1;

  private static final int[][] IPV4 = {
    {8, 4}, {12, 4}, {15, 4}, {7, 2}, {11, 2}, {4, 1}, {5, 1}, {6, 1}, {61, 1}, {1, 4}, {2, 4},
    {22, 4}, {21, 4}, {10, 4}, {14, 4}, {16, 4}, {17, 4}, {9, 1}, {13, 1}
  };
  private static final int[][] IPV6 = {
    {27, 16}, {28, 16}, {7, 2}, {11, 2}, {4, 1}, {5, 1}, {6, 1}, {61, 1}, {1, 4}, {2, 4}, {22, 4},
    {21, 4}, {10, 4}, {14, 4}, {16, 4}, {17, 4}, {29, 1}, {30, 1}, {139, 2}
  };

  private final long bootMillis;
  private int sequence;

  NetFlowV9Encoder(SimulatedRouter exporter, long bootMillis) {
    super(exporter, HEADER, IPV4, IPV6);
    this.bootMillis = bootMillis;
  }

  @Override
  long records(SyntheticFlow flow) {
    return recordsOf32Bits(flow);
  }

  @Override
  int templateSetId() {
    return 0;
  }

  @Override
  void writeSamplingTemplate() {
    openSet(OPTIONS_TEMPLATE_SET);
    out.putShort((short) SAMPLING_TEMPLATE);
    out.putShort((short) 4).putShort((short) 8); // bytes of scope fields and of option fields
    out.putShort((short) SCOPE_SYSTEM).putShort((short) 4);
    out.putShort((short) 34).putShort((short) 4);
    out.putShort((short) 35).putShort((short) 1);
  }

  @Override
  void writeRest(SyntheticFlow flow, boolean ipv4) {
    out.putShort((short) flow.srcPort);
    out.putShort((short) (flow.protocol == SyntheticFlow.ICMP ? flow.icmpTypeCode : flow.dstPort));
    out.put((byte) flow.protocol).put((byte) flow.tos).put((byte) flow.tcpFlags);
    out.put((byte) (flow.outgoing ? 1 : 0));
    out.putInt((int) flow.bytes).putInt((int) flow.packets);
    out.putInt((int) (flow.startMillis - bootMillis)).putInt((int) (flow.endMillis - bootMillis));
    out.putInt(flow.inputIf).putInt(flow.outputIf);
    out.putInt(flow.srcAs).putInt(flow.dstAs);
    out.put((byte) flow.srcMask).put((byte) flow.dstMask);
    if (!ipv4) {
      out.putShort((short) flow.icmpTypeCode);
    }
  }

  @Override
  void writeHeader(ByteBuffer out, long nowMillis, int flows) {
    long seconds = Math.floorDiv(nowMillis + 999, 1000L);
    out.putShort(0, (short) 9);
    out.putShort(2, (short) (flows + templateRecords + optionsRecords));
    out.putInt(4, (int) (seconds * 1000 - bootMillis));
    out.putInt(8, (int) seconds);
    out.putInt(12, sequence++);
    out.putInt(16, exporter.observationDomain());
  }
}
