package org.flowmon.archive.rollup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;

/**
 * Writes a rollup slice by slice, with any number of cells. One encoded slice is on the heap.
 * Completed ones wait in a file, because the head before them contains their lengths. Not
 * thread-safe.
 */
public final class RollupFileWriter implements AutoCloseable {
  private static final int COPY_BYTES = 1 << 20;

  private final RollupMeasures measures;
  private final Path waiting;
  private final FileChannel channel;
  private final ByteSink[] streams;
  private final List<long[]> begins = new ArrayList<>();
  private final ByteSink firstIds = new ByteSink();
  private final ByteSink head = new ByteSink();
  private final ByteSink directory = new ByteSink(); // of slices, offsets from the data's start
  private final List<Integer> checksums = new ArrayList<>();
  private final long[] deltas = new long[RollupFormat.BLOCK];
  private int cells;
  private long written;

  /** {@code waiting} is a temporary file, created here and deleted by {@link #close}. */
  public RollupFileWriter(RollupMeasures measures, Path waiting) throws IOException {
    this.measures = measures;
    this.waiting = waiting;
    this.channel =
        FileChannel.open(
            waiting,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    this.streams = new ByteSink[measures.streams()];
    for (int s = 0; s < streams.length; s++) {
      streams[s] = new ByteSink();
    }
  }

  public void block(int[] ids, int n, long[][] values) {
    firstIds.putInt(ids[0]);
    deltas[0] = 0;
    for (int i = 1; i < n; i++) {
      deltas[i] = (long) ids[i] - ids[i - 1];
    }
    long[] begin = new long[streams.length];
    for (int s = 0; s < streams.length; s++) {
      begin[s] = streams[s].size();
      StreamVByte.encode(s == 0 ? deltas : values[s], 0, n, streams[s]);
    }
    begins.add(begin);
    cells += n;
  }

  /**
   * Ends the slice, left out if it has no cells. Slices ascend. {@code hour} may be a day; {@link
   * RollupFormat#NO_HOUR} for NULL.
   */
  public void endSlice(long hour, int outgoing) throws IOException {
    if (cells == 0) {
      return;
    }
    int blocks = begins.size();
    long data = 4L * blocks + 4L * (streams.length * (long) blocks + 1);
    head.clear();
    for (int s = 0; s < streams.length; s++) {
      for (long[] begin : begins) {
        head.putInt((int) (data + begin[s]));
      }
      data += streams[s].size();
    }
    if (data > Integer.MAX_VALUE) {
      throw new IOException("a slice of " + data + " bytes, expected less than 2 GiB");
    }
    head.putInt((int) data);
    Crc32c crc = new Crc32c();
    put(firstIds, crc);
    put(head, crc);
    for (ByteSink stream : streams) {
      put(stream, crc);
      stream.clear();
    }
    checksums.add(crc.value());
    directory.putLong(hour);
    directory.putInt(outgoing);
    directory.putInt(cells);
    directory.putInt((int) written);
    directory.putInt((int) data);
    written += data;
    firstIds.clear();
    begins.clear();
    cells = 0;
  }

  private void put(ByteSink bytes, Crc32c crc) throws IOException {
    crc.update(bytes.array(), 0, bytes.size());
    ByteBuffer buffer = ByteBuffer.wrap(bytes.array(), 0, bytes.size());
    while (buffer.hasRemaining()) {
      // In parts: a heap buffer is copied through a direct one of its size, which the JDK keeps.
      int limit = buffer.limit();
      buffer.limit(Math.min(limit, buffer.position() + COPY_BYTES));
      channel.write(buffer);
      buffer.limit(limit);
    }
  }

  /** Its size, 0 without slices, and CRC32C of the head before slices' data and of each's data. */
  public record Written(long bytes, int headCrc32c, List<Integer> sliceCrc32c) {}

  /** Appends the whole rollup; nothing if it has no slices. {@code size} is the dictionary's. */
  public Written writeTo(SealedFile file, int size) throws IOException {
    int slices = checksums.size();
    if (slices == 0) {
      return new Written(0, 0, List.of());
    }
    head.clear();
    head.putInt(size);
    head.putInt(slices);
    head.putInt(measures.measures().size());
    for (RollupMeasures.Streams measure : measures.measures()) {
      measure.measure().writeTo(head, measure.hasNulls(), measure.high() >= 0);
    }
    int entry = head.size() + 16;
    head.write(directory.array(), 0, directory.size());
    long data = head.size();
    if (data + written > Integer.MAX_VALUE) {
      throw new IOException("sums of " + (data + written) + " bytes, expected less than 2 GiB");
    }
    ByteBuffer offsets = ByteBuffer.wrap(directory.array()).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (int s = 0; s < slices; s++) {
      int at = s * RollupFormat.SLICE_BYTES;
      head.setInt(entry + at, offsets.getInt(at + 16) + (int) data);
    }
    file.write(head.array(), 0, head.size());
    copy(file);
    return new Written(data + written, Crc32c.of(head), List.copyOf(checksums));
  }

  private void copy(SealedFile file) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
    for (long at = 0; at < written; ) {
      buffer.clear().limit((int) Math.min(COPY_BYTES, written - at));
      int n = channel.read(buffer, at);
      if (n < 0) {
        throw new IOException(waiting + " ends at " + at + ", expected " + written + " bytes");
      }
      file.write(buffer.array(), 0, n);
      at += n;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(waiting);
  }
}
