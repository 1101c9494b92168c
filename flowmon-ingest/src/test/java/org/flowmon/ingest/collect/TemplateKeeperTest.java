package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.Exporter;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.decode.exporter.SavedTemplates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a decoder knows of its exporters' templates after a restart. */
class TemplateKeeperTest {
  private static final long SEED = 20261126;
  private static final long SECOND = 1_000_000;
  private static final IpAddress FOUR = IpAddress.parse("192.0.2.1");
  private static final IpAddress SIX = IpAddress.parse("2001:db8:1:2:3:4:5:6");
  private static final int TEMPLATE = 256;

  @TempDir Path folder;
  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(100);
  private long now = 1_750_000_000L * SECOND;

  private ExportDecoder decoder() {
    return new ExportDecoder(
        counters, new BadDatagramSamples(1), ProtectedNetworks.NONE, DecoderLimits.defaults());
  }

  private CollectorDecoders decoders(int number) {
    return new CollectorDecoders(Stream.generate(this::decoder).limit(number).toList());
  }

  /** A flow by NetFlow v9 or IPFIX, with its template before it or without. */
  private void flow(CollectorDecoders to, int version, IpAddress from, boolean template) {
    int head = version == 9 ? 20 : 16;
    int length = head + (template ? 16 : 0) + 12;
    ByteBuffer out = ByteBuffer.allocate(length).putShort((short) version);
    out.putShort((short) (version == 9 ? 1 : length));
    if (version == 9) {
      out.putInt(0);
    }
    out.putInt((int) (now / SECOND)).putInt(0).putInt(7);
    if (template) {
      out.putShort((short) (version == 9 ? 0 : 2)).putShort((short) 16);
      out.putShort((short) TEMPLATE).putShort((short) 2);
      out.putShort((short) 8).putShort((short) 4).putShort((short) 1).putShort((short) 4);
    }
    out.putShort((short) TEMPLATE).putShort((short) 12).putInt(0x0A00_0001).putInt(100);
    to.receive(out.array(), 0, length, from, 2055, now, recorder);
  }

  /** Sends for two minutes from all exporters, which so become known; returns what is saved. */
  private byte[] saved(Path file) throws IOException {
    return saved(file, 1);
  }

  private byte[] saved(Path file, int number) throws IOException {
    CollectorDecoders all = decoders(number);
    try (TemplateKeeper keeper = TemplateKeeper.open(all, file)) {
      assertEquals(0, keeper.restore(now));
      for (int i = 0; i < 5; i++, now += 30 * SECOND) {
        flow(all, 9, FOUR, i == 0);
        flow(all, 10, FOUR, i == 0);
        flow(all, 10, SIX, i == 0);
      }
    }
    return Files.readAllBytes(file);
  }

  @Test
  void dataOfKnownExportersIsDecodedAfterARestartWithoutATemplate() throws Exception {
    Path file = folder.resolve("templates");
    // Before and after with one decoder or several.
    for (int[] numbers : new int[][] {{1, 1}, {1, 3}, {4, 1}}) {
      Files.deleteIfExists(file);
      saved(file, numbers[0]);
      long unread = counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE);
      CollectorDecoders all = decoders(numbers[1]);
      try (TemplateKeeper keeper = TemplateKeeper.open(all, file)) {
        assertEquals(4, keeper.restore(now)); // v9 has the session's and that of any port
        int before = recorder.rows().size();
        flow(all, 9, FOUR, false);
        flow(all, 10, FOUR, false);
        flow(all, 10, SIX, false);
        assertEquals(before + 3, recorder.rows().size());
        all.end();
      }
      assertEquals(unread, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    }
    assertEquals(3 * 2 * 2, counters.get(IngestCounter.EXPORTERS_ESTABLISHED));
  }

  @Test
  void restoredExportersHaveTheirAddressesAndTheTimeOfTheirLastDatagram() throws Exception {
    byte[] bytes = saved(folder.resolve("templates"));
    CollectorDecoders all = decoders(2);
    all.restore(bytes, now);
    List<ExporterStatus> statuses = all.statuses(10).exporters();
    assertEquals(
        List.of(FOUR, new IpAddress(SIX.hi(), 0)),
        statuses.stream().map(ExporterStatus::address).sorted().toList());
    for (ExporterStatus one : statuses) {
      assertTrue(one.known() && one.lastHeard() == now - 30 * SECOND, one.toString());
      assertEquals(0, one.datagrams());
    }
  }

  @Test
  void templatesOfStrangersAreNotSaved() throws Exception {
    Path file = folder.resolve("templates");
    CollectorDecoders all = decoders(1);
    try (TemplateKeeper keeper = TemplateKeeper.open(all, file)) {
      flow(all, 10, FOUR, true);
    }
    assertEquals(0, TemplateKeeper.open(decoders(1), file).restore(now));
  }

  @Test
  void templatesBeyondTheirLifetimeAreLeftOut() throws Exception {
    Path file = folder.resolve("templates");
    saved(file);
    long day = 24 * 3600 * SECOND;
    assertEquals(0, TemplateKeeper.open(decoders(1), file).restore(now + day));
  }

  /** NetFlow v9 of an exporter with an uptime (ms). */
  private void flow(CollectorDecoders to, long uptime, int sequence, boolean template) {
    ByteBuffer out = ByteBuffer.allocate(20 + (template ? 16 : 0) + 12).putShort((short) 9);
    out.putShort((short) 1).putInt((int) uptime).putInt((int) (now / SECOND)).putInt(sequence);
    out.putInt(7);
    if (template) {
      out.putShort((short) 0).putShort((short) 16).putShort((short) TEMPLATE).putShort((short) 2);
      out.putShort((short) 8).putShort((short) 4).putShort((short) 1).putShort((short) 4);
    }
    out.putShort((short) TEMPLATE).putShort((short) 12).putInt(0x0A00_0001).putInt(100);
    to.receive(out.array(), 0, out.capacity(), FOUR, 2055, now, recorder);
  }

  @Test
  void templatesOfAnExporterThatBeganAnewMeanwhileAreForgotten() throws Exception {
    long[][] downAndUptime = {{600, 1_300_000}, {600, 90_000}, {3000, 2_000_000}};
    int[] rows = {1, 0, 0}; // it goes on; its uptime fell; it is shorter than the silence
    for (int i = 0; i < rows.length; i++) {
      CollectorDecoders all = decoders(1);
      flow(all, 600_000, 0, true);
      now += 100 * SECOND;
      flow(all, 700_000, 1, false);
      byte[] bytes = bytes(all.templates());
      now += downAndUptime[i][0] * SECOND;
      CollectorDecoders next = decoders(1);
      assertEquals(2, next.restore(bytes, now));
      recorder.clear();
      flow(next, downAndUptime[i][1], 50, false);
      assertEquals(rows[i], recorder.rows().size(), "case " + i);
      flow(next, downAndUptime[i][1] + 10, 51, true);
      assertEquals(2, recorder.rows().size(), "case " + i);
    }
  }

  /** A domain had no uptime then. */
  @Test
  void filesOfTheFirstVersionAreRead() throws Exception {
    CollectorDecoders all = decoders(1);
    flow(all, 10, FOUR, true);
    now += 61 * SECOND;
    flow(all, 10, FOUR, false);
    byte[] second = bytes(all.templates());
    int uptimeAt = 12 + 16 + 8 + 4 + 16;
    ByteBuffer first = ByteBuffer.allocate(second.length - 13);
    first.put(second, 0, uptimeAt);
    first.put(second, uptimeAt + 13, first.remaining() - 4);
    first.putInt(4, 1);
    CRC32C crc = new CRC32C();
    crc.update(first.array(), 0, first.position());
    first.putInt((int) crc.getValue());
    CollectorDecoders next = decoders(1);
    assertEquals(1, next.restore(first.array(), now));
    int before = recorder.rows().size();
    flow(next, 10, FOUR, false);
    assertEquals(before + 1, recorder.rows().size());
  }

  @Test
  void theyAreSavedWhileTheCollectorRuns() throws Exception {
    Path file = folder.resolve("templates");
    CollectorDecoders all = decoders(1);
    try (TemplateKeeper keeper = TemplateKeeper.open(all, file)) {
      flow(all, 10, FOUR, true);
      now += 61 * SECOND;
      flow(all, 10, FOUR, false);
      keeper.start(Duration.ofMillis(5));
      while (keeper.restore(now) == 0) {
        Thread.sleep(1);
      }
    }
    assertEquals(1, TemplateKeeper.open(decoders(1), file).restore(now));
  }

  @Test
  void itsFolderIsMadeAndWhatCannotBeWrittenIsToldAtOnce() throws Exception {
    Path file = folder.resolve("new").resolve("folder").resolve("templates");
    saved(file);
    assertTrue(Files.exists(file));
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
    saved(link.resolve("linked")); // as systemd's StateDirectory is one
    assertTrue(Files.exists(folder.resolve("linked")));
    Path inFile = file.resolve("templates");
    assertThrows(IOException.class, () -> TemplateKeeper.open(decoders(1), inFile));
    assertThrows(IOException.class, () -> TemplateKeeper.open(decoders(1), folder));
  }

  /** Many exporters: what is written while nobody decodes has a bounded size. */
  @Test
  void whoDecodesWaitsForAPieceOnly() throws Exception {
    CollectorDecoders all = decoders(1);
    for (int i = 0; i < 2; i++, now += 61 * SECOND) {
      for (int n = 0; n < 5_000; n++) {
        flow(all, 10, IpAddress.ofIpv4(0x0A00_0000 + n), i == 0);
      }
    }
    ExportDecoder whole = decoder();
    assertEquals(5_000, ExportDecoder.restoreTemplates(bytes(all.templates()), a -> whole, now));
    SavedTemplates.Writer writer = new SavedTemplates.Writer();
    Iterator<Exporter> left = whole.knownExporters().iterator();
    int before = 0;
    int pieces = 0;
    while (left.hasNext()) {
      writer.add(left);
      int size = writer.size();
      assertTrue(size - before < 70_000, size - before + " bytes");
      before = size;
      pieces++;
    }
    assertTrue(pieces > 3, pieces + " pieces");
  }

  private static byte[] bytes(SavedTemplates.Writer writer) {
    ByteBuffer bytes = writer.bytes();
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  @Test
  void aDamagedFileRestoresNothing() throws Exception {
    Path file = folder.resolve("templates");
    byte[] bytes = saved(file);
    Random random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      byte[] damaged = Arrays.copyOf(bytes, bytes.length - random.nextInt(2));
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
      assertThrows(IOException.class, () -> decoders(1).restore(damaged, now));
    }
    assertThrows(IOException.class, () -> decoders(1).restore(new byte[0], now));
  }

  @Test
  void bytesWithARightChecksumAreCheckedToo() throws Exception {
    byte[] bytes = saved(folder.resolve("templates"));
    Random random = new Random(SEED);
    int restored = 0;
    for (int i = 0; i < 5000; i++) {
      byte[] forged = bytes.clone();
      for (int n = random.nextInt(4); n >= 0; n--) {
        forged[12 + random.nextInt(forged.length - 16)] = (byte) random.nextInt();
      }
      CRC32C crc = new CRC32C();
      crc.update(forged, 0, forged.length - 4);
      ByteBuffer.wrap(forged).putInt(forged.length - 4, (int) crc.getValue());
      try {
        CollectorDecoders all = restored(forged);
        restored++;
        flow(all, 10, FOUR, false);
      } catch (IOException e) {
        // refused
      }
    }
    recorder.rows();
    assertTrue(restored > 100, restored + " were taken");
  }

  private CollectorDecoders restored(byte[] bytes) throws IOException {
    CollectorDecoders all = decoders(1);
    int restored = all.restore(bytes, now);
    assertTrue(restored <= 4);
    assertTrue(decoders(1).restore(bytes(all.templates()), now) <= restored);
    return all;
  }
}
