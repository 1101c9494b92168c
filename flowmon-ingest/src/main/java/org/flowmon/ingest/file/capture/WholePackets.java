package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.jspecify.annotations.Nullable;

/** All packets of a capture with all their headers, and no sender. */
final class WholePackets implements Datagrams {
  private final CapturedPackets packets;
  private final IngestCounters counters;

  WholePackets(Path file, IngestCounters counters) throws IOException {
    this.packets = CapturedPackets.open(file);
    this.counters = counters;
  }

  @Override
  public boolean next() throws IOException {
    if (packets.next()) {
      counters.increment(IngestCounter.PACKETS_READ);
      return true;
    }
    if (packets.endedShort) {
      counters.increment(IngestCounter.PACKETS_READ);
      counters.increment(IngestCounter.PACKETS_SKIPPED_TRUNCATED);
    }
    return false;
  }

  @Override
  public byte[] bytes() {
    return packets.bytes;
  }

  @Override
  public int offset() {
    return 0;
  }

  @Override
  public int length() {
    return packets.length;
  }

  @Override
  public int linkType() {
    return packets.linkType;
  }

  @Override
  public @Nullable IpAddress source() {
    return null;
  }

  @Override
  public int sourcePort() {
    return 0;
  }

  @Override
  public long timeMicros() {
    return packets.timeMicros;
  }

  @Override
  public void close() throws IOException {
    packets.close();
  }
}
