package org.flowmon.ingest.synthetic.exporter;

import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Writes NetFlow version 5: a header of 24 bytes and up to 30 records of 48.
 *
 * <pre>
 * header  0 version 2 count 4 sys_uptime 8 unix_secs 12 unix_nsecs 16 flow_sequence 20 engine_type 21 engine_id
 *         22 sampling_interval (2 bits mode, 14 bits interval)
 * record  0 srcaddr 4 dstaddr 8 nexthop 12 input 14 output 16 dPkts 20 dOctets 24 first 28 last 32 srcport 34 dstport
 *         36 pad 37 tcp_flags 38 prot 39 tos 40 src_as 42 dst_as 44 src_mask 45 dst_mask 46 pad
 * </pre>
 *
 * The sequence number counts flows. For ICMP {@code dstport} holds type and code.
 */
final class NetFlowV5Encoder extends ExportEncoder {
  private static final int HEADER = 24;
  private static final int RECORD = 48;
  private static final int DETERMINISTIC = 1 << 14;
  private static final int AS_TRANS = 23_456; // RFC 6793

  private final long bootMillis;
  private int flowSequence;

  NetFlowV5Encoder(SimulatedRouter exporter, long bootMillis) {
    super(exporter);
    this.bootMillis = bootMillis;
  }

  @Override
  long records(SyntheticFlow flow) {
    return recordsOf32Bits(flow);
  }

  @Override
  void begin(long nowMillis) {
    out.clear().position(HEADER);
  }

  @Override
  boolean hasRoom(SyntheticFlow flow) {
    return out.remaining() >= RECORD;
  }

  @Override
  void write(SyntheticFlow flow) {
    out.putInt((int) flow.srcLo).putInt((int) flow.dstLo).putInt(flow.nextHop);
    out.putShort(orOther(flow.inputIf, 0)).putShort(orOther(flow.outputIf, 0));
    out.putInt(unsigned32(flow.packets)).putInt(unsigned32(flow.bytes));
    out.putInt((int) (flow.startMillis - bootMillis)).putInt((int) (flow.endMillis - bootMillis));
    out.putShort((short) flow.srcPort);
    out.putShort((short) (flow.isIcmp() ? flow.icmpTypeCode : flow.dstPort));
    out.put((byte) 0).put((byte) flow.tcpFlags).put((byte) flow.protocol).put((byte) flow.tos);
    out.putShort(orOther(flow.srcAs, AS_TRANS)).putShort(orOther(flow.dstAs, AS_TRANS));
    out.put((byte) flow.srcMask).put((byte) flow.dstMask).putShort((short) 0);
  }

  @Override
  void end(long nowMillis, int flows) {
    out.putShort(0, (short) 5).putShort(2, (short) flows);
    out.putInt(4, (int) (nowMillis - bootMillis));
    out.putInt(8, (int) Math.floorDiv(nowMillis, 1000L));
    out.putInt(12, (int) Math.floorMod(nowMillis, 1000L) * 1_000_000);
    out.putInt(16, flowSequence);
    out.put(20, (byte) (exporter.observationDomain() >>> 8));
    out.put(21, (byte) exporter.observationDomain());
    int sampling = exporter.samplingRate() > 1 ? DETERMINISTIC | exporter.samplingRate() : 0;
    out.putShort(22, (short) sampling);
    flowSequence += flows;
  }

  /** What routers write if a number does not fit 16 bits. */
  private static short orOther(int number, int other) {
    return (short) (number >>> 16 == 0 ? number : other);
  }

  private static int unsigned32(long count) {
    if (count >>> 32 != 0) {
      throw new IllegalArgumentException(
          "count " + count + " does not fit the 32 bits of NetFlow v5");
    }
    return (int) count;
  }
}
