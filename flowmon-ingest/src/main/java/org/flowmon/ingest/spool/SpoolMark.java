package org.flowmon.ingest.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.files.PrivateFiles;

/** The file that says how far Kafka has a spool's batches ({@code docs/format/spool.md}). */
final class SpoolMark implements Closeable {
  private static final int MAGIC = 0x464C_534D; // FLSM
  private static final int VERSION = 1;
  private static final int CRC_AT = 36;
  private static final int BYTES = 40;

  private final FileChannel channel;
  private Position written = Position.START;

  /**
   * What it says: Kafka has all before an offset of a file.
   *
   * @param untold flows lost that no batch tells of
   * @param partitions of the topic; 0: not known
   */
  record Position(long file, long offset, long untold, int partitions) {
    static final Position START = new Position(0, 0, 0, 0);
  }

  private SpoolMark(FileChannel channel) {
    this.channel = channel;
  }

  static SpoolMark open(Path folder) throws IOException {
    return new SpoolMark(
        PrivateFiles.open(
            folder.resolve("mark"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE));
  }

  /** Empty if it is damaged or new. */
  Optional<Position> read() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
      // reads on
    }
    if (bytes.hasRemaining()
        || bytes.getInt(CRC_AT) != Crc32c.of(bytes.array(), 0, CRC_AT)
        || bytes.getInt(0) != MAGIC
        || bytes.getInt(4) != VERSION) {
      return Optional.empty();
    }
    Position found =
        new Position(bytes.getLong(8), bytes.getLong(16), bytes.getLong(24), bytes.getInt(32));
    boolean possible =
        found.file >= 0 && found.offset >= 0 && found.untold >= 0 && found.partitions >= 0;
    return possible ? Optional.of(found) : Optional.empty();
  }

  /** Whether it has to be written. */
  boolean isOther(Position position) {
    return !position.equals(written);
  }

  /** Writes it to the device. */
  void write(Position position) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putInt(MAGIC).putInt(VERSION).putLong(position.file).putLong(position.offset);
    bytes
        .putLong(position.untold)
        .putInt(position.partitions)
        .putInt(Crc32c.of(bytes.array(), 0, CRC_AT))
        .flip();
    while (bytes.hasRemaining()) {
      channel.write(bytes, bytes.position());
    }
    channel.force(false);
    written = position;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
