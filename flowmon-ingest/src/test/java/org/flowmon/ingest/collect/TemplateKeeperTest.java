package org.flowmon.ingest.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
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

  /** A flow by NetFlow v9 or IPFIX, with its template before it or without. */
  private void flow(TemplateKeeper keeper, int version, IpAddress from, boolean template) {
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
    keeper.receive(out.array(), 0, length, from, 2055, now, recorder);
  }

  /** Sends for two minutes from all exporters, which so become known; returns what is saved. */
  private byte[] saved(Path file) throws IOException {
    try (TemplateKeeper keeper = new TemplateKeeper(decoder(), file)) {
      assertEquals(0, keeper.restore(now));
      for (int i = 0; i < 5; i++, now += 30 * SECOND) {
        flow(keeper, 9, FOUR, i == 0);
        flow(keeper, 10, FOUR, i == 0);
        flow(keeper, 10, SIX, i == 0);
      }
      keeper.end();
    }
    return Files.readAllBytes(file);
  }

  @Test
  void dataOfKnownExportersIsDecodedAfterARestartWithoutATemplate() throws Exception {
    Path file = folder.resolve("templates");
    saved(file);
    try (TemplateKeeper keeper = new TemplateKeeper(decoder(), file)) {
      assertEquals(4, keeper.restore(now)); // v9 has the session's and that of any port
      int before = recorder.rows().size();
      flow(keeper, 9, FOUR, false);
      flow(keeper, 10, FOUR, false);
      flow(keeper, 10, SIX, false);
      assertEquals(before + 3, recorder.rows().size());
      keeper.end();
    }
    assertEquals(0, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    assertEquals(2 * 2, counters.get(IngestCounter.EXPORTERS_ESTABLISHED));
  }

  @Test
  void restoredExportersHaveTheirAddressesAndTheTimeOfTheirLastDatagram() throws Exception {
    byte[] bytes = saved(folder.resolve("templates"));
    ExportDecoder decoder = decoder();
    decoder.restoreTemplates(bytes, now);
    List<IpAddress> addresses =
        decoder.statuses(10).exporters().stream().map(ExporterStatus::address).sorted().toList();
    assertEquals(List.of(FOUR, new IpAddress(SIX.hi(), 0)), addresses);
    for (ExporterStatus one : decoder.statuses(10).exporters()) {
      assertTrue(one.known() && one.lastHeard() == now - 30 * SECOND, one.toString());
      assertEquals(0, one.datagrams());
    }
  }

  @Test
  void templatesOfStrangersAreNotSaved() throws Exception {
    Path file = folder.resolve("templates");
    try (TemplateKeeper keeper = new TemplateKeeper(decoder(), file)) {
      flow(keeper, 10, FOUR, true);
      keeper.end();
    }
    assertEquals(0, new TemplateKeeper(decoder(), file).restore(now));
  }

  @Test
  void templatesBeyondTheirLifetimeAreLeftOut() throws Exception {
    Path file = folder.resolve("templates");
    saved(file);
    long day = 24 * 3600 * SECOND;
    assertEquals(0, new TemplateKeeper(decoder(), file).restore(now + day));
  }

  @Test
  void theyAreSavedWhileTheCollectorRuns() throws Exception {
    Path file = folder.resolve("templates");
    try (TemplateKeeper keeper = new TemplateKeeper(decoder(), file)) {
      flow(keeper, 10, FOUR, true);
      while (new TemplateKeeper(decoder(), file).restore(now) == 0) { // the disk takes its time
        now += 10 * SECOND;
        flow(keeper, 10, FOUR, false);
        Thread.sleep(1);
      }
    }
    assertEquals(1, new TemplateKeeper(decoder(), file).restore(now));
  }

  @Test
  void aDamagedFileRestoresNothing() throws Exception {
    Path file = folder.resolve("templates");
    byte[] bytes = saved(file);
    Random random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      byte[] damaged = Arrays.copyOf(bytes, bytes.length - random.nextInt(2));
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
      assertThrows(IOException.class, () -> decoder().restoreTemplates(damaged, now));
    }
    assertThrows(IOException.class, () -> decoder().restoreTemplates(new byte[0], now));
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
        TemplateKeeper keeper = keeper(forged);
        restored++;
        flow(keeper, 10, FOUR, false);
      } catch (IOException e) {
        // refused
      }
    }
    recorder.rows();
    assertTrue(restored > 100, restored + " were taken");
  }

  private TemplateKeeper keeper(byte[] bytes) throws IOException {
    ExportDecoder decoder = decoder();
    int restored = decoder.restoreTemplates(bytes, now);
    assertTrue(restored <= 4);
    assertTrue(decoder().restoreTemplates(decoder.templates(), now) <= restored);
    return new TemplateKeeper(decoder, folder.resolve("unused"));
  }
}
