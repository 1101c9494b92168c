package org.flowmon.ingest.synthetic.exporter;

import java.nio.ByteBuffer;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Writes flows into one router's export datagrams of at most {@link #MAX_BYTES}. Usage: call {@link
 * #add} until it returns false, then {@link #finish}, send the result, and add the flow again. Not
 * thread-safe.
 */
abstract sealed class ExportEncoder permits NetFlowV5Encoder, TemplateEncoder {
  /** Fits every path's MTU with room for tunnels. */
  static final int MAX_BYTES = 1400;

  final SimulatedRouter exporter;
  final ByteBuffer out = ByteBuffer.allocateDirect(MAX_BYTES);
  private int flows;

  ExportEncoder(SimulatedRouter exporter) {
    this.exporter = exporter;
  }

  /** Whether the format can carry the flow. */
  abstract boolean accepts(SyntheticFlow flow);

  /**
   * Adds the flow to the open datagram.
   *
   * @return false if the datagram is full; then nothing was added
   */
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

  /** Flows in the open datagram. */
  final int flows() {
    return flows;
  }

  /**
   * Closes the datagram.
   *
   * @return its bytes from position to limit, valid until the next call of {@link #add}
   * @throws IllegalStateException if no flow was added
   */
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

  /** Writes the header. */
  abstract void end(long nowMillis, int flowsInDatagram);
}
