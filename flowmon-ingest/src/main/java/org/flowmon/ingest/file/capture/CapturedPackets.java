package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.flow.bytes.BigEndian;

/** The packets of a capture file, one after the other. The fields describe the current packet. */
public abstract class CapturedPackets implements Closeable {
  static final int MAX_BYTES = 1 << 20;

  /** The bytes of the packet, from 0; valid until the next {@link #next}. */
  byte[] bytes = new byte[2048];

  int length;

  /** The type of the packet's first header (tcpdump's LINKTYPE_ values). */
  int linkType;

  /** µs since 1970. */
  long timeMicros;

  boolean endedShort;

  final CaptureInput in;

  CapturedPackets(CaptureInput in) {
    this.in = in;
  }

  /**
   * Opens a pcap or pcapng file, plain or gzip.
   *
   * @throws IOException naming the file if it is no capture
   */
  public static CapturedPackets open(Path file) throws IOException {
    CaptureInput in = CaptureInput.open(file);
    try {
      byte[] magic = new byte[4];
      int read = in.read(magic, 0, 4);
      int number = BigEndian.getInt(magic, 0);
      if (read == 4 && number == PcapngPackets.SECTION_HEADER) {
        return new PcapngPackets(in);
      }
      if (read == 4 && PcapPackets.isMagic(number)) {
        return new PcapPackets(in, number);
      }
      throw in.bad("not a capture file: it begins neither as pcap nor as pcapng does");
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /** False at the file's end, even within a packet; errors name file and place of no capture. */
  public abstract boolean next() throws IOException;

  final void reserve(int size) {
    length = size;
    if (bytes.length < size) {
      bytes = new byte[size];
    }
  }

  @Override
  public final void close() throws IOException {
    in.close();
  }
}
