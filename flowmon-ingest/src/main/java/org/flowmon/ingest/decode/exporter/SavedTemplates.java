package org.flowmon.ingest.decode.exporter;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.ingest.IngestCounter;

/**
 * The templates of known exporters as bytes ({@code docs/format/templates.md}), so that a collector
 * that starts again need not wait for them.
 */
public final class SavedTemplates {
  /** Larger ones are refused: the state of a decoder is no larger. */
  public static final int MAX_BYTES = 64 << 20;

  private static final int MAGIC = 0x464C_544D; // FLTM
  private static final int VERSION = 2;

  /** Without the uptimes of domains. */
  private static final int WITHOUT_UPTIMES = 1;

  private static final int EXPORTERS_AT = 8;
  private static final int HEAD_BYTES = 12;
  private static final int CRC_BYTES = 4;

  private SavedTemplates() {}

  /**
   * Writes the templates of exporters that are known, as strangers may be forged. It takes some
   * exporters at a time, so that whoever decodes waits for these alone: a few hundred µs.
   */
  public static final class Writer {
    /** A piece ends at the exporter that exceeds it. */
    private static final int PIECE_BYTES = 64 << 10;

    /**
     * Room for a piece: the state of one exporter has 2 MiB by default, and its bytes are fewer.
     */
    private static final int ROOM_BYTES = PIECE_BYTES + (2 << 20);

    private final ByteSink bytes = new ByteSink();
    private final DataOutputStream out = new DataOutputStream(bytes);
    private int exporters;

    public Writer() {
      try {
        out.writeInt(MAGIC);
        out.writeInt(VERSION);
        out.writeInt(0); // exporters, see bytes()
      } catch (IOException e) {
        throw impossible(e);
      }
    }

    /** Before {@link #add}, while others may decode: makes room for a piece. */
    public void makeRoom() {
      bytes.reserve(ROOM_BYTES);
    }

    /** Adds the next exporters, while nobody decodes for them. */
    public void add(Iterator<Exporter> known) {
      int end = bytes.size() + PIECE_BYTES;
      try {
        while (known.hasNext() && bytes.size() < end) {
          Exporter exporter = known.next();
          if (exporter.hasTemplates()) {
            out.writeLong(exporter.source().hi());
            out.writeLong(exporter.source().lo());
            out.writeLong(exporter.lastHeard());
            exporter.writeTemplates(out);
            exporters++;
          }
        }
      } catch (IOException e) {
        throw impossible(e);
      }
    }

    /** Bytes so far. */
    public int size() {
      return bytes.size();
    }

    /** All that was added, at the end. */
    public ByteBuffer bytes() {
      BigEndian.putInt(bytes.array(), EXPORTERS_AT, exporters);
      bytes.putIntBigEndian(Crc32c.of(bytes));
      return ByteBuffer.wrap(bytes.array(), 0, bytes.size());
    }

    private static IllegalStateException impossible(IOException e) {
      return new IllegalStateException("an array takes every byte", e);
    }
  }

  /**
   * Restores them in new tables, within their limits; templates that are older than their lifetime
   * are left out.
   *
   * @param tableOf the table of an exporter
   * @param now µs since 1970
   * @return how many templates were restored
   * @throws IOException if the bytes are damaged or of another format; nothing is restored then
   */
  public static int restore(byte[] bytes, Function<IpAddress, ExporterTable> tableOf, long now)
      throws IOException {
    int end = bytes.length - CRC_BYTES;
    if (end < HEAD_BYTES || Crc32c.of(bytes, 0, end) != BigEndian.getInt(bytes, end)) {
      throw new IOException("they are cut short or damaged");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, end));
    if (in.readInt() != MAGIC) {
      throw new IOException("they are no templates");
    }
    int version = in.readInt();
    if (version != VERSION && version != WITHOUT_UPTIMES) {
      throw new IOException("they are of version " + version + ", expected 1 or " + VERSION);
    }
    List<SavedExporter> exporters = new ArrayList<>();
    try {
      for (int left = in.readInt(); left > 0; left--) {
        exporters.add(exporter(in, version, tableOf));
      }
    } catch (EOFException e) {
      throw new IOException("they end too early", e);
    }
    int restored = 0;
    for (SavedExporter saved : exporters) {
      ExporterTable table = tableOf.apply(saved.address);
      long lastHeard = Math.min(saved.lastHeard, now);
      for (SavedDomain domain : saved.domains) {
        // Anew for each domain, as for a datagram: room may be made among the others.
        Exporter exporter = table.restore(saved.address, lastHeard);
        restored += restore(domain, exporter, table.limits(), now);
      }
    }
    return restored;
  }

  private record SavedExporter(IpAddress address, long lastHeard, List<SavedDomain> domains) {}

  private record SavedDomain(
      ObservationDomain.Key key, LifeClock clock, List<SavedTemplate> templates) {}

  private record SavedTemplate(long arrival, Template template) {}

  private static SavedExporter exporter(
      DataInputStream in, int version, Function<IpAddress, ExporterTable> tableOf)
      throws IOException {
    IpAddress address = new IpAddress(in.readLong(), in.readLong());
    DecoderLimits limits = tableOf.apply(address).limits();
    long lastHeard = in.readLong();
    List<SavedDomain> domains = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      ObservationDomain.Key key = new ObservationDomain.Key(in.readLong(), in.readLong());
      LifeClock clock = new LifeClock();
      if (version != WITHOUT_UPTIMES) {
        clock.read(in);
      }
      List<SavedTemplate> templates = new ArrayList<>();
      for (int more = in.readInt(); more > 0; more--) {
        long arrival = in.readLong();
        int id = in.readUnsignedShort();
        boolean options = in.readBoolean();
        Template template = new Template(id, options, fields(in, limits));
        templates.add(new SavedTemplate(arrival, template));
      }
      domains.add(new SavedDomain(key, clock, templates));
    }
    return new SavedExporter(address, lastHeard, domains);
  }

  private static int restore(SavedDomain saved, Exporter exporter, DecoderLimits limits, long now) {
    IngestCounter lost =
        saved.key.version() == 9
            ? IngestCounter.SEQUENCE_LOST_DATAGRAMS
            : IngestCounter.SEQUENCE_LOST_FLOWS;
    ObservationDomain domain = exporter.domain(saved.key, lost);
    domain.sequence().clock().copy(saved.clock);
    int restored = 0;
    for (SavedTemplate one : saved.templates) {
      long arrival = Math.min(one.arrival, now);
      if (arrival < 0 || now - arrival > limits.templateLifetimeMicros()) {
        continue;
      }
      restored += one.template.hasPossibleLength() && domain.define(one.template, arrival) ? 1 : 0;
    }
    return restored;
  }

  private static int[] fields(DataInputStream in, DecoderLimits limits) throws IOException {
    int count = in.readUnsignedShort();
    if (count > limits.fieldsPerTemplate()) {
      throw new IOException("a template has " + count + " fields");
    }
    int[] fields = new int[3 * count];
    for (int i = 0; i < fields.length; i += 3) {
      fields[i] = in.readInt();
      fields[i + 1] = in.readInt();
      fields[i + 2] = in.readUnsignedShort();
    }
    return fields;
  }
}
