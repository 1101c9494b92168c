package org.flowmon.ingest.decode.exporter;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.ingest.IngestCounter;

/**
 * The templates of known exporters as bytes ({@code docs/format/templates.md}), so that a collector
 * that starts again need not wait for them.
 */
public final class SavedTemplates {
  /** Larger ones are refused: the state of a decoder is no larger. */
  public static final int MAX_BYTES = 64 << 20;

  private static final int MAGIC = 0x464C_544D; // FLTM
  private static final int VERSION = 1;
  private static final int HEAD_BYTES = 12;
  private static final int CRC_BYTES = 4;

  private SavedTemplates() {}

  /** Those of the exporters that are known; strangers may be forged. */
  public static byte[] of(ExporterTable table) {
    List<Exporter> exporters = table.known().stream().filter(Exporter::hasTemplates).toList();
    ByteSink bytes = new ByteSink();
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
      crc.update(bytes.array(), 0, bytes.size());
      out.writeInt((int) crc.getValue());
    } catch (IOException e) {
      throw new IllegalStateException("an array takes every byte", e);
    }
    return Arrays.copyOf(bytes.array(), bytes.size());
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
    List<SavedExporter> exporters = new ArrayList<>();
    try {
      for (int left = in.readInt(); left > 0; left--) {
        exporters.add(exporter(in, table.limits()));
      }
    } catch (EOFException e) {
      throw new IOException("they end too early", e);
    }
    int restored = 0;
    for (SavedExporter saved : exporters) {
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

  private record SavedDomain(ObservationDomain.Key key, List<SavedTemplate> templates) {}

  private record SavedTemplate(long arrival, Template template) {}

  private static SavedExporter exporter(DataInputStream in, DecoderLimits limits)
      throws IOException {
    IpAddress address = new IpAddress(in.readLong(), in.readLong());
    long lastHeard = in.readLong();
    List<SavedDomain> domains = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      ObservationDomain.Key key = new ObservationDomain.Key(in.readLong(), in.readLong());
      List<SavedTemplate> templates = new ArrayList<>();
      for (int more = in.readInt(); more > 0; more--) {
        long arrival = in.readLong();
        int id = in.readUnsignedShort();
        boolean options = in.readBoolean();
        Template template = new Template(id, options, fields(in, limits));
        templates.add(new SavedTemplate(arrival, template));
      }
      domains.add(new SavedDomain(key, templates));
    }
    return new SavedExporter(address, lastHeard, domains);
  }

  private static int restore(SavedDomain saved, Exporter exporter, DecoderLimits limits, long now) {
    IngestCounter lost =
        saved.key.version() == 9
            ? IngestCounter.SEQUENCE_LOST_DATAGRAMS
            : IngestCounter.SEQUENCE_LOST_FLOWS;
    ObservationDomain domain = exporter.domain(saved.key, lost);
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
