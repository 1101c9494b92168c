package org.flowmon.ingest.synthetic.exporter;

import java.nio.ByteBuffer;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * IPFIX (RFC 7011) with absolute times in milliseconds and 64-bit counts. The sequence number
 * counts the data records, including options, of all previous messages.
 *
 * <pre>
 * header  0 version 2 length 4 export time (seconds) 8 sequence 12 observation domain
 * </pre>
 */
final class IpfixEncoder extends TemplateEncoder {
  private static final int HEADER = 16;
  private static final int OPTIONS_TEMPLATE_SET = 3;
  private static final int OBSERVATION_DOMAIN_ID = 149;

  private static final int[][] IPV4 = {
    {8, 4}, {12, 4}, {15, 4}, {7, 2}, {11, 2}, {4, 1}, {5, 1}, {6, 1}, {61, 1}, {1, 8}, {2, 8},
    {152, 8}, {153, 8}, {10, 4}, {14, 4}, {16, 4}, {17, 4}, {9, 1}, {13, 1}, {32, 2}
  };
  private static final int[][] IPV6 = {
    {27, 16}, {28, 16}, {7, 2}, {11, 2}, {4, 1}, {5, 1}, {6, 1}, {61, 1}, {1, 8}, {2, 8}, {152, 8},
    {153, 8}, {10, 4}, {14, 4}, {16, 4}, {17, 4}, {29, 1}, {30, 1}, {139, 2}
  };

  private int sequence;

  IpfixEncoder(SimulatedRouter exporter) {
    super(exporter, HEADER, IPV4, IPV6);
  }

  @Override
  int templateSetId() {
    return 2;
  }

  @Override
  void writeSamplingTemplate() {
    openSet(OPTIONS_TEMPLATE_SET);
    out.putShort((short) SAMPLING_TEMPLATE);
    out.putShort((short) 3).putShort((short) 1); // number of fields and of scope fields
    out.putShort((short) OBSERVATION_DOMAIN_ID).putShort((short) 4);
    // Deprecated in favour of 305 with 306 (RFC 5477), but most exporters still send it.
    out.putShort((short) 34).putShort((short) 4);
    out.putShort((short) 35).putShort((short) 1);
  }

  @Override
  void writeRest(SyntheticFlow flow, boolean ipv4) {
    out.putShort((short) flow.srcPort).putShort((short) flow.dstPort);
    out.put((byte) flow.protocol).put((byte) flow.tos).put((byte) flow.tcpFlags);
    out.put((byte) (flow.outgoing ? 1 : 0));
    out.putLong(flow.bytes).putLong(flow.packets);
    out.putLong(flow.startMillis).putLong(flow.endMillis);
    out.putInt(flow.inputIf).putInt(flow.outputIf).putInt(flow.srcAs).putInt(flow.dstAs);
    out.put((byte) flow.srcMask).put((byte) flow.dstMask);
    out.putShort((short) flow.icmpTypeCode);
  }

  @Override
  void writeHeader(ByteBuffer out, long nowMillis, int flows) {
    out.putShort(0, (short) 10).putShort(2, (short) out.position());
    out.putInt(4, (int) Math.floorDiv(nowMillis, 1000L));
    out.putInt(8, sequence);
    out.putInt(12, exporter.observationDomain());
    sequence += flows + optionsRecords;
  }
}
