package org.flowmon.ingest.synthetic.exporter;

import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * The content of an export record, for comparison; {@code dstPort} is type × 256 + code for ICMP.
 */
public record ExportedRow(
    IpAddress src,
    IpAddress dst,
    int srcPort,
    int dstPort,
    int protocol,
    int tos,
    int tcpFlags,
    long bytes,
    long packets,
    long startMillis,
    long endMillis,
    int nextHop,
    int inputIf,
    int outputIf,
    int srcAs,
    int dstAs,
    int srcMask,
    int dstMask) {

  public static ExportedRow of(SyntheticFlow f) {
    return new ExportedRow(
        new IpAddress(f.srcHi, f.srcLo),
        new IpAddress(f.dstHi, f.dstLo),
        f.srcPort,
        f.isIcmp() ? f.icmpTypeCode : f.dstPort,
        f.protocol,
        f.tos,
        f.tcpFlags,
        f.bytes,
        f.packets,
        f.startMillis,
        f.endMillis,
        f.nextHop,
        f.inputIf,
        f.outputIf,
        f.srcAs,
        f.dstAs,
        f.srcMask,
        f.dstMask);
  }
}
