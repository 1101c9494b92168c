package org.flowmon.jobs.site;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * The bytes of {@link StatesMessage}, version 1; {@code docs/format/states-topic.md} is the
 * specification, this class owns the offsets.
 *
 * <pre>
 *   0        4         6      7   8        12       16        24       32
 *   +--------+---------+------+---+--------+--------+---------+--------+------+------
 *   | "FLWM" | version | kind | 0 | length | crc32c | attempt | number | site | …
 *   +--------+---------+------+---+--------+--------+---------+--------+------+------
 *   progress: through i64 | publications u16 | (publication, whole from i64) …
 *   window:   publication | end i64 | counts 6 i64 | length u32 | part u16 | parts u16 | bytes
 * </pre>
 */
public final class StatesLayout {
  private static final int MAGIC = 'F' | 'L' << 8 | 'W' << 16 | 'M' << 24;
  private static final int VERSION = 1;
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;
  private static final int PROGRESS = 1;
  private static final int PART = 2;
  private static final long MAX_MICROS = 100L * 366 * 86_400_000_000L;
  // Two names, a query and 18 bytes more; the rest is for bytes.
  private static final int LEAST_PUBLICATION_BYTES = 22;

  private StatesLayout() {}

  static byte[] write(StatesMessage message) {
    StateSink sink = new StateSink();
    sink.putInt(MAGIC);
    sink.putU16(VERSION);
    sink.putByte(message instanceof StatesMessage.Progress ? PROGRESS : PART);
    sink.putByte(0);
    sink.putLong(0); // length and checksum come last
    sink.putLong(message.attempt());
    sink.putLong(message.number());
    putName(message.site(), sink);
    if (message instanceof StatesMessage.Progress progress) {
      sink.putLong(progress.through());
      sink.putU16(progress.published().size());
      for (StatesMessage.Published published : progress.published()) {
        putPublication(published.publication(), sink);
        sink.putLong(published.wholeFrom());
      }
    } else if (message instanceof StatesMessage.Part part) {
      putPublication(part.publication(), sink);
      sink.putLong(part.windowEnd());
      putCounts(part.counts(), sink);
      sink.putInt(part.length());
      sink.putU16(part.part());
      sink.putU16(part.parts());
      sink.putBytes(part.bytes(), 0, part.bytes().length);
    }
    byte[] bytes = sink.toBytes();
    LittleEndian.putInt(bytes, LENGTH_AT, bytes.length);
    LittleEndian.putInt(bytes, CRC_AT, Crc32c.around(bytes, CRC_AT));
    return bytes;
  }

  static StatesMessage open(byte[] bytes) {
    StateReader reader = new StateReader(bytes, 0, bytes.length, "a message of states");
    if (bytes.length > StatesMessage.MAX_BYTES) {
      throw reader.error(
          "expected at most " + StatesMessage.MAX_BYTES + " bytes, found " + bytes.length);
    }
    int magic = reader.getInt();
    if (magic != MAGIC) {
      throw reader.error("the first four bytes are not 'FLWM'");
    }
    int version = reader.getU16();
    if (version != VERSION) {
      throw reader.error("found version " + version + ", this reads version " + VERSION);
    }
    int kind = reader.getByte();
    int unused = reader.getByte();
    int length = reader.getInt();
    if (length != bytes.length) {
      throw reader.error("says it has " + length + " bytes, found " + bytes.length);
    }
    if (reader.getInt() != Crc32c.around(bytes, CRC_AT)) {
      throw reader.error("the checksum does not match: the bytes are damaged");
    }
    if (unused != 0 || (kind != PROGRESS && kind != PART)) {
      throw reader.error("of the unknown kind " + kind + ", expected 1 or 2");
    }
    long attempt = reader.getLong();
    long number = reader.getLong();
    if (number < 0) {
      throw reader.error("of the number " + number);
    }
    String site = getName(reader);
    return kind == PROGRESS
        ? progress(attempt, number, site, reader)
        : part(attempt, number, site, reader);
  }

  private static StatesMessage.Progress progress(
      long attempt, long number, String site, StateReader reader) {
    long through = reader.getLong();
    if (through != Long.MIN_VALUE && !WindowSpec.isTime(through)) {
      throw reader.error(through + " is no time");
    }
    int count = reader.getU16();
    if (count > StatesMessage.MAX_PUBLICATIONS
        || count * (LEAST_PUBLICATION_BYTES + 8L) > reader.remaining()) {
      throw reader.error(count + " publications do not fit");
    }
    List<StatesMessage.Published> published = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      published.add(new StatesMessage.Published(getPublication(reader), reader.getLong()));
    }
    reader.end();
    return new StatesMessage.Progress(attempt, number, site, through, published);
  }

  private static StatesMessage.Part part(
      long attempt, long number, String site, StateReader reader) {
    Publication publication = getPublication(reader);
    long end = reader.getLong();
    if (!WindowSpec.isTime(end) || Math.floorMod(end, publication.widthMicros()) != 0) {
      throw reader.error(end + " is no end of a window of " + publication.widthMicros() + " us");
    }
    ArrivalCounts counts = getCounts(reader);
    int length = reader.getInt();
    int part = reader.getU16();
    int parts = reader.getU16();
    int count = reader.remaining();
    boolean fits =
        length >= 0
            && length <= StatesMessage.MAX_WINDOW_BYTES
            && part < parts
            && count <= length
            && (length > 0 || parts == 1)
            && (length == 0 || count > 0)
            && (parts > 1 || count == length);
    if (!fits) {
      throw reader.error(
          "part " + part + " of " + parts + " has " + count + " of " + length + " bytes");
    }
    byte[] bytes = new byte[count];
    System.arraycopy(reader.array(), reader.skip(count), bytes, 0, count);
    return new StatesMessage.Part(
        attempt, number, site, publication, end, counts, length, part, parts, bytes);
  }

  public static void putPublication(Publication publication, StateSink sink) {
    putName(publication.analysis(), sink);
    byte[] query = publication.query().getBytes(StandardCharsets.UTF_8);
    sink.putVarint(query.length);
    sink.putBytes(query, 0, query.length);
    sink.putLong(publication.widthMicros());
    sink.putLong(publication.latenessMicros());
    sink.putByte(publication.timeColumn() == FlowColumn.ARRIVAL ? 1 : 0);
    sink.putByte(publication.spread() ? 1 : 0);
  }

  public static Publication getPublication(StateReader reader) {
    String analysis = getName(reader);
    int length = reader.count("bytes of a query", Publication.MAX_QUERY_BYTES, 1);
    if (length == 0) {
      throw reader.error("a publication without a query");
    }
    int from = reader.skip(length);
    byte[] utf8 = Arrays.copyOfRange(reader.array(), from, from + length);
    String query = new String(utf8, StandardCharsets.UTF_8);
    if (!Arrays.equals(query.getBytes(StandardCharsets.UTF_8), utf8)) {
      throw reader.error("a query that is not UTF-8");
    }
    long width = reader.getLong();
    long lateness = reader.getLong();
    int time = reader.getByte();
    int spread = reader.getByte();
    boolean known =
        width > 0
            && width <= MAX_MICROS
            && lateness >= 0
            && lateness <= MAX_MICROS
            && time <= 1
            && spread <= 1
            && time + spread <= 1;
    if (!known) {
      throw reader.error(
          "windows of %s us, lateness %s us, over %s, divided %s"
              .formatted(width, lateness, time, spread));
    }
    return new Publication(
        analysis,
        query,
        width,
        lateness,
        time == 1 ? FlowColumn.ARRIVAL : FlowColumn.END_TIME,
        spread == 1);
  }

  public static void putName(String name, StateSink sink) {
    byte[] ascii = name.getBytes(StandardCharsets.US_ASCII);
    sink.putByte(ascii.length);
    sink.putBytes(ascii, 0, ascii.length);
  }

  public static String getName(StateReader reader) {
    int length = reader.getByte();
    String name =
        new String(reader.array(), reader.skip(length), length, StandardCharsets.ISO_8859_1);
    if (!Names.isName(name)) {
      throw reader.error(
          "a name of " + length + " characters that are not all lower-case letters, digits, _");
    }
    return name;
  }

  public static void putCounts(ArrivalCounts counts, StateSink sink) {
    sink.putLong(counts.flows());
    sink.putLong(counts.late());
    sink.putLong(counts.ahead());
    sink.putLong(counts.lost());
    sink.putLong(counts.sampled());
    sink.putLong(counts.samplingRate());
  }

  public static ArrivalCounts getCounts(StateReader reader) {
    long[] counts = new long[6];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = reader.getLong();
      if (counts[i] < 0) {
        throw reader.error("a count of " + counts[i]);
      }
    }
    return new ArrivalCounts(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
  }
}
