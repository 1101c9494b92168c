package org.flowmon.ingest.decode.exporter;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.zip.CRC32C;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.IngestCounter;

/**
 * The templates of known exporters as bytes ({@code docs/format/templates.md}), so that a collector
 * that starts again need not wait for them.
 */
public final class SavedTemplates {
  /** Larger ones are refused: the state of a decoder is bounded. */
  public static final int MAX_BYTES = 256 << 20;

  private static final int MAGIC = 0x464C_544D; // FLTM
  private static final int VERSION = 1;
  private static final int HEAD_BYTES = 12;
  private static final int CRC_BYTES = 4;

  private SavedTemplates() {}

  /** Those of the exporters that are known; strangers may be forged. */
  public static byte[] of(ExporterTable table) {
    List<Exporter> exporters = table.known().stream().filter(Exporter::hasTemplates).toList();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(MAGIC);
      out.writeInt(VERSION);
      out.writeInt(exporters.size());
      for (Exporter exporter : exporters) {
        out.writeLong(exporter.source().hi());
        out.writeLong(exporter.source().lo());
        out.writeLong(exporter.lastHeard());
        exporter.writeTemplates(out);
      }
      CRC32C crc = new CRC32C();
      crc.update(bytes.toByteArray());
      out.writeInt((int) crc.getValue());
    } catch (IOException e) {
      throw new IllegalStateException("an array takes every byte", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Restores them in a new table, within its limits; templates that are older than their lifetime
   * are left out.
   *
   * @param now µs since 1970
   * @return how many templates were restored
   * @throws IOException if the bytes are damaged or of another format; nothing is restored then
   */
  public static int restore(byte[] bytes, ExporterTable table, long now) throws IOException {
    int end = bytes.length - CRC_BYTES;
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, Math.max(0, end));
    if (end < HEAD_BYTES || (int) crc.getValue() != BigEndian.getInt(bytes, end)) {
      throw new IOException("they are cut short or damaged");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, end));
    if (in.readInt() != MAGIC || in.readInt() != VERSION) {
      throw new IOException("they are of another version, or no templates");
    }
    int restored = 0;
    try {
      int exporters = in.readInt();
      for (int i = 0; i < exporters; i++) {
        IpAddress address = new IpAddress(in.readLong(), in.readLong());
        long lastHeard = Math.min(in.readLong(), now);
        restored += restore(in, table.restore(address, lastHeard), table.limits(), now);
      }
    } catch (EOFException e) {
      throw new IOException("they end too early", e);
    }
    return restored;
  }

  private static int restore(DataInputStream in, Exporter exporter, DecoderLimits limits, long now)
      throws IOException {
    int restored = 0;
    int domains = in.readInt();
    for (int d = 0; d < domains; d++) {
      ObservationDomain.Key key = new ObservationDomain.Key(in.readLong(), in.readLong());
      IngestCounter lost =
          key.version() == 9
              ? IngestCounter.SEQUENCE_LOST_DATAGRAMS
              : IngestCounter.SEQUENCE_LOST_FLOWS;
      int templates = in.readInt();
      for (int t = 0; t < templates; t++) {
        long arrival = Math.min(in.readLong(), now);
        int id = in.readUnsignedShort();
        boolean options = in.readBoolean();
        int[] fields = fields(in, limits);
        if (now - arrival > limits.templateLifetimeMicros()) {
          continue;
        }
        Template template = new Template(id, options, fields);
        if (template.hasPossibleLength() && exporter.domain(key, lost).define(template, arrival)) {
          restored++;
        }
      }
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
