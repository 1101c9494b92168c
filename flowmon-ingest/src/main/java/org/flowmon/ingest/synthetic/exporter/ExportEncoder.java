package org.flowmon.ingest.synthetic.exporter;

import java.nio.ByteBuffer;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Writes flows into one router's datagrams of at most {@link #MAX_BYTES}: call {@link #add} until
 * it returns false, then {@link #finish}, and add the flow again. Not thread-safe.
 */
abstract sealed class ExportEncoder permits NetFlowV5Encoder, TemplateEncoder, SflowEncoder {
  /** Fits every path's MTU with room for tunnels. */
  static final int MAX_BYTES = 1400;

  final SimulatedRouter exporter;
  final ByteBuffer out = ByteBuffer.allocateDirect(MAX_BYTES);
  WireFaults faults = WireFaults.NONE;
  private int flows;

  ExportEncoder(SimulatedRouter exporter) {
    this.exporter = exporter;
  }

  /** How many records the flow takes: more than one if its counts are too large for one. */
  long records(SyntheticFlow flow) {
    return 1;
  }

  /** As a router does whose counters have 32 bits: it exports a flow before they overflow. */
  static long recordsOf32Bits(SyntheticFlow flow) {
    return 1 + Math.max(0, Math.max(flow.bytes, flow.packets) - 1) / 0xFFFF_FFFFL;
  }

  /** False if the datagram is full; then nothing was added. */
  final boolean add(SyntheticFlow flow, long nowMillis) {
    if (flows == 0) {
      begin(nowMillis);
    }
    if (!hasRoom(flow)) {
      return false;
    }
    write(flow);
    flows++;
    return true;
  }

  final int flows() {
    return flows;
  }

  /** Valid until the next {@link #add}; {@link IllegalStateException} if no flow was added. */
  final ByteBuffer finish(long nowMillis) {
    if (flows == 0) {
      throw new IllegalStateException("no flow was added to the datagram");
    }
    end(nowMillis, flows);
    flows = 0;
    return out.flip();
  }

  /** Clears {@link #out} and leaves room for the header; may write templates. */
  abstract void begin(long nowMillis);

  abstract boolean hasRoom(SyntheticFlow flow);

  abstract void write(SyntheticFlow flow);

  abstract void end(long nowMillis, int flowsInDatagram);
}
