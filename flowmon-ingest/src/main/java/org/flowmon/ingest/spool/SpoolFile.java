package org.flowmon.ingest.spool;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.files.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * A file of batches, as {@code docs/format/spool.md} has it:
 *
 * <pre>
 * head    FLSP · version · id · length and name of the topic · CRC
 * record  id · length · partition · rows · time · CRC of the batch · CRC of these 32 bytes │ batch
 * </pre>
 *
 * <p>One thread appends and another one reads, each with a channel of its own: an interrupt closes
 * only that of the thread.
 */
final class SpoolFile implements Closeable {
  /** Larger batches are no message of the topic. */
  static final int MAX_BATCH_BYTES = 8 << 20;

  static final int MAX_PARTITION = (1 << 20) - 1;

  static final int RECORD_HEAD_BYTES = 36;

  private static final int LENGTH_AT = 8;
  private static final int PARTITION_AT = 12;
  private static final int ROWS_AT = 16;
  private static final int TIME_AT = 20;
  private static final int BATCH_CRC_AT = 28;
  private static final int HEAD_CRC_AT = 32;

  private static final int MAGIC = 0x464C_5350; // FLSP
  private static final int VERSION = 1;
  private static final int TOPIC_LENGTH_AT = 16;
  private static final int TOPIC_AT = 18;
  private static final int MAX_TOPIC = 249;
  private static final int CRC_BYTES = 4;

  private static final int CHUNK_BYTES = 64 << 10;
  private static final Pattern NAME = Pattern.compile("([0-7][0-9a-f]{15})-([0-9a-f]{16})\\.spool");
  private static final SecureRandom IDS = new SecureRandom();

  private final Path path;
  private final long number;
  private final long id;
  private @Nullable FileChannel out;
  private @Nullable FileChannel in;
  private long size;
  private long readAt;

  /** A batch of the file and the offset behind it. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Found(int partition, int rows, long time, byte[] bytes, long end) {}

  private record Head(long at, int length, int partition, int rows, long time, int crc) {
    long end() {
      return at + RECORD_HEAD_BYTES + length;
    }
  }

  private SpoolFile(Path path, long number, long id) {
    this.path = path;
    this.number = number;
    this.id = id;
  }

  /** Makes a file, which only its owner can read. */
  static SpoolFile create(Path folder, long number, String topic) throws IOException {
    long id = IDS.nextLong();
    Path path = folder.resolve(String.format("%016x-%016x.spool", number, id));
    SpoolFile file = new SpoolFile(path, number, id);
    file.out = PrivateFiles.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      byte[] head = head(id, topic);
      file.write(ByteBuffer.wrap(head), 0);
      file.size = head.length;
      file.readAt = head.length;
      return file;
    } catch (IOException e) {
      file.delete();
      throw e;
    }
  }

  static int headBytes(String topic) {
    return TOPIC_AT + topic.length() + CRC_BYTES;
  }

  private static byte[] head(long id, String topic) {
    byte[] name = topic.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer head = ByteBuffer.allocate(headBytes(topic));
    head.putInt(MAGIC).putInt(VERSION).putLong(id).putShort((short) name.length).put(name);
    head.putInt(Crc32c.of(head.array(), 0, head.position()));
    return head.array();
  }

  /** The files of earlier runs in a folder, oldest first. */
  static List<SpoolFile> allOf(Path folder) throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      return paths
          .flatMap(path -> existing(path).stream())
          .sorted(Comparator.comparingLong(SpoolFile::number).thenComparing(SpoolFile::path))
          .toList();
    }
  }

  /** Empty if the name is no such file's. */
  private static Optional<SpoolFile> existing(Path path) {
    Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
    return name.matches()
        ? Optional.of(
            new SpoolFile(
                path,
                Long.parseUnsignedLong(name.group(1), 16),
                Long.parseUnsignedLong(name.group(2), 16)))
        : Optional.empty();
  }

  /**
   * Begins to read a file of an earlier run behind an offset; 0: all of it.
   *
   * @return what its records say that they have, also if their batches are damaged
   * @throws IOException if it cannot be read, or is of another version or topic
   */
  Scan scan(long from, String topic) throws IOException {
    try {
      return scanned(from, topic);
    } finally {
      closeReader();
    }
  }

  private Scan scanned(long from, String topic) throws IOException {
    size = Files.size(path);
    readAt = Math.max(from, afterHead(topic).orElse(0));
    SpoolContents contents = new SpoolContents();
    long damaged = 0;
    long first = 0;
    long at = readAt;
    for (Optional<Head> next = next(at, size); next.isPresent(); next = next(at, size)) {
      Head head = next.get();
      damaged += head.at - at;
      first = first == 0 ? head.time : first;
      contents.add(head.partition, head.rows);
      if (head.end() > size) {
        at = head.at;
        break;
      }
      at = head.end();
    }
    return new Scan(contents, damaged + Math.max(0, size - at), first);
  }

  /**
   * What a file seems to have.
   *
   * @param damagedBytes that are no record, or of the batch that is cut off
   * @param firstTime when its first batch was written, µs; 0 without any
   */
  record Scan(SpoolContents contents, long damagedBytes, long firstTime) {}

  /** Where records begin; empty if the head is damaged. */
  private OptionalLong afterHead(String topic) throws IOException {
    byte[] head = new byte[(int) Math.min(size, TOPIC_AT + MAX_TOPIC + CRC_BYTES)];
    read(head, 0, head.length);
    if (head.length < TOPIC_AT + CRC_BYTES || BigEndian.getInt(head, 0) != MAGIC) {
      return OptionalLong.empty();
    }
    int version = BigEndian.getInt(head, 4);
    int crcAt = TOPIC_AT + BigEndian.getU16(head, TOPIC_LENGTH_AT);
    if (crcAt + CRC_BYTES > head.length
        || BigEndian.getInt(head, crcAt) != Crc32c.of(head, 0, crcAt)) {
      return OptionalLong.empty();
    }
    if (version != VERSION) {
      throw new IOException(
          path + " is of version " + version + ", supported is " + VERSION + ": use that program");
    }
    String found = new String(head, TOPIC_AT, crcAt - TOPIC_AT, StandardCharsets.US_ASCII);
    if (!found.equals(topic)) {
      throw new IOException(
          path
              + " has flows for topic '"
              + found
              + "', not '"
              + topic
              + "': give each topic a folder of its own");
    }
    return OptionalLong.of(crcAt + CRC_BYTES);
  }

  /** Appends a batch as a whole; after an error the file ends as before. */
  void append(int partition, int rows, byte[] batch, long time) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(RECORD_HEAD_BYTES);
    head.putLong(id).putInt(batch.length).putInt(partition).putInt(rows).putLong(time);
    head.putInt(Crc32c.of(batch, 0, batch.length));
    head.putInt(Crc32c.of(head.array(), 0, HEAD_CRC_AT));
    write(head.flip(), size);
    write(ByteBuffer.wrap(batch), size + RECORD_HEAD_BYTES);
    size += RECORD_HEAD_BYTES + batch.length;
  }

  static long recordBytes(byte[] batch) {
    return (long) RECORD_HEAD_BYTES + batch.length;
  }

  private void write(ByteBuffer bytes, long at) throws IOException {
    FileChannel channel = writing();
    for (long next = at; bytes.hasRemaining(); ) {
      next += channel.write(bytes, next);
    }
  }

  private FileChannel writing() throws IOException {
    FileChannel channel = out;
    if (channel == null) {
      throw new IOException(path + " is of an earlier run");
    }
    return channel;
  }

  /** Removes what an append left behind that failed; later ones overwrite it in any case. */
  void cut() throws IOException {
    writing().truncate(size);
  }

  void force() throws IOException {
    writing().force(false);
  }

  /**
   * The next sound batch before an offset, where a record ends or the file was cut off; damaged
   * ones are left out, and those that somebody has cut off since.
   *
   * @throws IOException if it cannot be read for now; the next call begins at the same place
   */
  Optional<Found> read(long limit) throws IOException {
    long end = Math.min(limit, reading().size());
    while (true) {
      Optional<Head> next = next(readAt, end);
      if (next.isEmpty() || next.get().end() > end) {
        readAt = limit;
        return Optional.empty();
      }
      Head head = next.get();
      byte[] batch = new byte[head.length];
      read(batch, head.at + RECORD_HEAD_BYTES, batch.length);
      readAt = head.end();
      if (Crc32c.of(batch, 0, batch.length) == head.crc) {
        return Optional.of(new Found(head.partition, head.rows, head.time, batch, head.end()));
      }
    }
  }

  /** Nobody reads what lies before an offset; not while another thread is reading. */
  void skipTo(long offset) {
    readAt = offset;
  }

  /** The first sound head of a record at an offset or behind it. */
  private Optional<Head> next(long from, long limit) throws IOException {
    byte[] bytes = new byte[RECORD_HEAD_BYTES];
    if (limit - from < bytes.length) {
      return Optional.empty();
    }
    read(bytes, from, bytes.length);
    Optional<Head> here = head(bytes, 0, from);
    return here.isPresent() ? here : search(from + 1, limit);
  }

  private Optional<Head> search(long from, long limit) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    int last = RECORD_HEAD_BYTES - 1; // chunks overlap, for a head may lie across their border
    for (long at = from; limit - at >= RECORD_HEAD_BYTES; at += chunk.length - last) {
      int length = (int) Math.min(chunk.length, limit - at);
      read(chunk, at, length);
      for (int i = 0; i < length - last; i++) {
        Optional<Head> found = head(chunk, i, at + i);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Head> head(byte[] bytes, int at, long offset) {
    if (BigEndian.getLong(bytes, at) != id) {
      return Optional.empty();
    }
    byte[] head = Arrays.copyOfRange(bytes, at, at + RECORD_HEAD_BYTES);
    int length = BigEndian.getInt(head, LENGTH_AT);
    int partition = BigEndian.getInt(head, PARTITION_AT);
    int rows = BigEndian.getInt(head, ROWS_AT);
    boolean sound =
        BigEndian.getInt(head, HEAD_CRC_AT) == Crc32c.of(head, 0, HEAD_CRC_AT)
            && length >= 1
            && length <= MAX_BATCH_BYTES
            && partition >= 0
            && partition <= MAX_PARTITION
            && rows >= 0
            && rows <= FlowBatch.MAX_ROWS;
    return sound
        ? Optional.of(
            new Head(
                offset,
                length,
                partition,
                rows,
                BigEndian.getLong(head, TIME_AT),
                BigEndian.getInt(head, BATCH_CRC_AT)))
        : Optional.empty();
  }

  private void read(byte[] bytes, long from, int length) throws IOException {
    FileChannel channel = reading();
    ByteBuffer into = ByteBuffer.wrap(bytes, 0, length);
    for (long at = from; into.hasRemaining(); ) {
      int more = read(channel, into, at);
      if (more < 0) {
        throw new EOFException(path + " ends at " + at + ", expected " + (from + length));
      }
      at += more;
    }
  }

  private int read(FileChannel channel, ByteBuffer into, long at) throws IOException {
    try {
      return channel.read(into, at);
    } catch (ClosedChannelException e) {
      throw e; // by an interrupt
    } catch (IOException e) {
      throw new IOException(path + " cannot be read at " + at + ": " + e.getMessage(), e);
    }
  }

  private FileChannel reading() throws IOException {
    FileChannel channel = in;
    if (channel == null) {
      channel = FileChannel.open(path, StandardOpenOption.READ);
      in = channel;
    }
    return channel;
  }

  Path path() {
    return path;
  }

  long number() {
    return number;
  }

  /** With whole records only, while this process appends. */
  long size() {
    return size;
  }

  /** Ends reading, for now; a later read opens the file again. */
  void closeReader() throws IOException {
    FileChannel channel = in;
    in = null;
    if (channel != null) {
      channel.close();
    }
  }

  void closeWriter() throws IOException {
    FileChannel channel = out;
    out = null;
    if (channel != null) {
      channel.close();
    }
  }

  void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
  }

  @Override
  public void close() throws IOException {
    try {
      closeWriter();
    } finally {
      closeReader();
    }
  }
}
