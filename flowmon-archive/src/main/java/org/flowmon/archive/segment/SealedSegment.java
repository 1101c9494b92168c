package org.flowmon.archive.segment;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.flow.bytes.Crc32c;

/**
 * A complete segment, synced on disk: the facts that a commit needs, and the identities of {@code
 * <id>.parquet} and {@code <id>.idx} that a reader checks. Serialized as {@link #toBytes} ({@code
 * docs/format/segment.md}). The id has lower-case letters, digits and {@code -}; rows, at least 1,
 * are sorted by {@link TimeKey}; totals are exact sums over all rows, nulls as 0.
 */
public record SealedSegment(
    String id,
    int rows,
    TimeRange timeKey,
    TimeRange startTime,
    TimeRange endTime,
    TimeRange arrival,
    BigInteger totalBytes,
    BigInteger totalPackets,
    FileIdentity segmentFile,
    FileIdentity indexFile) {

  private static final int MAGIC = 'F' | 'L' << 8 | 'S' << 16 | 'E' << 24;
  private static final int VERSION = 2;
  private static final int MAX_ID = 64;
  private static final Pattern ID = Pattern.compile("[0-9a-z][0-9a-z-]{0," + (MAX_ID - 1) + "}");
  // magic, version, id length, rows, four ranges, two 128-bit sums, two identities, CRC32C
  private static final int FIXED_BYTES = 4 + 2 + 2 + 4 + 4 * 16 + 2 * 16 + 2 * 20 + 4;

  public SealedSegment {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "not a segment id: '" + id + "', expected " + ID.pattern());
    }
    if (rows < 1) {
      throw new IllegalArgumentException(
          "segment " + id + " of " + rows + " rows, expected at least 1");
    }
  }

  public String fileName() {
    return id + ".parquet";
  }

  public String indexFileName() {
    return id + ".idx";
  }

  public long bytesOnDisk() {
    return segmentFile.length() + indexFile.length();
  }

  /**
   * Opens the sidecar in the folder that holds the files.
   *
   * @throws org.flowmon.archive.region.SegmentCorruptException if the file is not the one that was
   *     sealed
   * @throws IOException if unreadable; {@link java.nio.file.NoSuchFileException} if missing
   */
  public SegmentIndex openIndex(Path directory, boolean verifyChecksums) throws IOException {
    return SegmentIndex.open(
        directory.resolve(indexFileName()), indexFile, id, segmentFile, rows, verifyChecksums);
  }

  /** Encodes this description with a version and its own CRC32C. */
  public byte[] toBytes() {
    byte[] name = id.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + name.length).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC)
        .putShort((short) VERSION)
        .putShort((short) name.length)
        .put(name)
        .putInt(rows);
    for (TimeRange range : new TimeRange[] {timeKey, startTime, endTime, arrival}) {
      out.putLong(range.min()).putLong(range.max());
    }
    for (BigInteger sum : new BigInteger[] {totalBytes, totalPackets}) {
      out.putLong(sum.longValue()).putLong(sum.shiftRight(64).longValue());
    }
    for (FileIdentity file : new FileIdentity[] {segmentFile, indexFile}) {
      out.putLong(file.length())
          .putInt(file.crc32c())
          .putInt(file.footerLength())
          .putInt(file.footerCrc32c());
    }
    out.putInt(Crc32c.of(out.array(), 0, out.position()));
    return out.array();
  }

  /** Decodes {@link #toBytes}; {@link IllegalArgumentException} says what was found, expected. */
  public static SealedSegment fromBytes(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length <= FIXED_BYTES || in.getInt() != MAGIC) {
      throw new IllegalArgumentException(
          "not a sealed segment: " + bytes.length + " bytes that do not begin with 'FLSE'");
    }
    int version = in.getShort() & 0xFFFF;
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "sealed segment of version " + version + ", this reads " + VERSION);
    }
    int nameLength = in.getShort() & 0xFFFF;
    if (nameLength > MAX_ID || bytes.length != FIXED_BYTES + nameLength) {
      throw new IllegalArgumentException(
          "sealed segment of " + bytes.length + " bytes, expected " + (FIXED_BYTES + nameLength));
    }
    if (Crc32c.of(bytes, 0, bytes.length - 4) != in.getInt(bytes.length - 4)) {
      throw new IllegalArgumentException("sealed segment: its CRC32C does not fit its bytes");
    }
    byte[] name = new byte[nameLength];
    in.get(name);
    return new SealedSegment(
        new String(name, StandardCharsets.US_ASCII),
        in.getInt(),
        readRange(in),
        readRange(in),
        readRange(in),
        readRange(in),
        readSum(in),
        readSum(in),
        readIdentity(in),
        readIdentity(in));
  }

  private static TimeRange readRange(ByteBuffer in) {
    return new TimeRange(in.getLong(), in.getLong());
  }

  private static BigInteger readSum(ByteBuffer in) {
    long low = in.getLong();
    long high = in.getLong();
    return new BigInteger(ByteBuffer.allocate(16).putLong(high).putLong(low).array());
  }

  private static FileIdentity readIdentity(ByteBuffer in) {
    return new FileIdentity(in.getLong(), in.getInt(), in.getInt(), in.getInt());
  }
}
