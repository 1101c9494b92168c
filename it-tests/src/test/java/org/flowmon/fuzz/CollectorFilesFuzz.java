package org.flowmon.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.SavedTemplates;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.ingest.spool.SpoolContents;
import org.flowmon.ingest.spool.SpooledBatch;

/**
 * What a collector reads back at its start: saved templates, and files of its spool. The first byte
 * says which, and whether checksums are made right, as otherwise nothing comes past them.
 */
final class CollectorFilesFuzz implements FuzzTarget {
  private static final String TOPIC = "flows";
  private static final long ID = 0x1234;
  private static final String FILE = "0000000000000001-0000000000001234.spool";
  private static final long MINUTE = 61_000_000;

  private static final int TEMPLATES = 0;
  private static final int SPOOL = 1;
  private static final int RIGHT_CHECKSUMS = 2;

  // docs/format/spool.md
  private static final int SPOOL_MAGIC = 0x464C_5350;
  private static final int RECORD_HEAD = 36;
  private static final int LENGTH_AT = 8;
  private static final int BATCH_CRC_AT = 28;
  private static final int HEAD_CRC_AT = 32;

  @Override
  public String name() {
    return "collector-files";
  }

  @Override
  public String about() {
    return "saved templates and spool files, with right and with wrong checksums";
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] templates : List.of(templates(1), templates(3))) {
      byte[] body = Arrays.copyOf(templates, templates.length - Integer.BYTES);
      seeds.add(seed(TEMPLATES | RIGHT_CHECKSUMS, body));
      seeds.add(seed(TEMPLATES, templates));
    }
    for (int batches : new int[] {1, 4}) {
      byte[] records = records(batches);
      seeds.add(seed(SPOOL | RIGHT_CHECKSUMS, records));
      seeds.add(seed(SPOOL, records));
    }
    return seeds;
  }

  private static byte[] seed(int kind, byte[] bytes) {
    byte[] seed = new byte[bytes.length + 1];
    seed[0] = (byte) kind;
    System.arraycopy(bytes, 0, seed, 1, bytes.length);
    return seed;
  }

  private static ExportDecoder decoder() {
    return new ExportDecoder(
        new IngestCounters(),
        new BadDatagramSamples(1),
        ProtectedNetworks.NONE,
        DecoderLimits.defaults());
  }

  /** Of exporters that are known after a minute. */
  private static byte[] templates(int exporters) {
    ExportDecoder decoder = decoder();
    BatchCollectingSink sink = new BatchCollectingSink(64, batch -> {});
    byte[] template = {1, 0, 0, 2, 0, 8, 0, 4, 0, 1, 0, 4};
    byte[] sets = new ExportBytes().set(2, template).set(256, new byte[8]).toBytes();
    byte[] datagram = ExportBytes.ipfix(sets);
    for (int minute = 0; minute < 3; minute++) {
      for (int e = 0; e < exporters; e++) {
        decoder.decode(
            datagram,
            0,
            datagram.length,
            IpAddress.ofIpv4(0xC000_0200 + e),
            2055,
            FuzzFlows.START + minute * MINUTE,
            sink);
      }
    }
    return saved(decoder);
  }

  private static byte[] saved(ExportDecoder decoder) {
    SavedTemplates.Writer writer = new SavedTemplates.Writer();
    writer.add(decoder.knownExporters().iterator());
    ByteBuffer bytes = writer.bytes();
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  /** What a spool's file has behind its head. */
  private static byte[] records(int batches) throws IOException {
    try (ScratchFolder folder = new ScratchFolder()) {
      Path path = folder.path().resolve("spool");
      try (Spool spool = Spool.open(path, 1 << 20, TOPIC)) {
        for (int b = 0; b < batches; b++) {
          spool.write(b % 2, b, ("batch " + b).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
      }
      try (Stream<Path> files = Files.list(path)) {
        Path file =
            files.filter(one -> one.toString().endsWith(".spool")).findFirst().orElseThrow();
        byte[] bytes = Files.readAllBytes(file);
        return Arrays.copyOfRange(bytes, head().length, bytes.length);
      }
    }
  }

  private static byte[] head() {
    ByteBuffer head = ByteBuffer.allocate(18 + TOPIC.length() + 4);
    head.putInt(SPOOL_MAGIC).putInt(1).putLong(ID).putShort((short) TOPIC.length());
    head.put(TOPIC.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    head.putInt(Crc32c.of(head.array(), 0, head.position()));
    return head.array();
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 200_000_000L + 1_000_000L * (input.length / 1024 + 1);
  }

  @Override
  public void run(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    boolean right = (input[0] & RIGHT_CHECKSUMS) != 0;
    if ((input[0] & SPOOL) != 0) {
      readSpool(right ? withChecksums(body) : body);
    } else {
      readTemplates(right ? withChecksum(body) : body);
    }
  }

  private static byte[] withChecksum(byte[] body) {
    byte[] bytes = Arrays.copyOf(body, body.length + Integer.BYTES);
    BigEndian.putInt(bytes, body.length, Crc32c.of(body, 0, body.length));
    return bytes;
  }

  /** Either all of them or none; what was restored can be saved and restored again. */
  private static void readTemplates(byte[] bytes) throws IOException {
    ExportDecoder decoder = decoder();
    long now = FuzzFlows.START + 3 * MINUTE;
    int restored;
    try {
      restored = ExportDecoder.restoreTemplates(bytes, address -> decoder, now);
    } catch (IOException e) {
      ExportsFuzz.require(decoder.knownExporters().isEmpty(), "refused, and restored: " + e);
      return;
    }
    ExportDecoder again = decoder();
    int twice = ExportDecoder.restoreTemplates(saved(decoder), address -> again, now);
    ExportsFuzz.require(twice <= restored, restored + " templates became " + twice);
  }

  /** Records follow each other as far as their lengths are possible. */
  private static byte[] withChecksums(byte[] records) {
    byte[] bytes = records.clone();
    for (int at = 0; bytes.length - at >= RECORD_HEAD; ) {
      BigEndian.putLong(bytes, at, ID);
      int length = BigEndian.getInt(bytes, at + LENGTH_AT);
      boolean whole = length >= 0 && length <= bytes.length - at - RECORD_HEAD;
      if (whole) {
        BigEndian.putInt(bytes, at + BATCH_CRC_AT, Crc32c.of(bytes, at + RECORD_HEAD, length));
      }
      BigEndian.putInt(bytes, at + HEAD_CRC_AT, Crc32c.of(bytes, at, HEAD_CRC_AT));
      at = whole ? at + RECORD_HEAD + length : bytes.length;
    }
    return bytes;
  }

  /** Each batch that the file says it has is read, or told as lost. */
  private static void readSpool(byte[] records) throws IOException {
    try (ScratchFolder folder = new ScratchFolder()) {
      byte[] head = head();
      byte[] bytes = Arrays.copyOf(head, head.length + records.length);
      System.arraycopy(records, 0, bytes, head.length, records.length);
      folder.file(FILE, bytes);
      try (Spool spool = Spool.open(folder.path(), 1 << 20, TOPIC)) {
        long[] ended = new long[2];
        for (Optional<SpooledBatch> next = read(spool, ended);
            next.isPresent();
            next = read(spool, ended)) {
          ended[0]++;
          ended[1] += next.get().rows();
        }
        SpoolContents found = spool.recovered();
        ExportsFuzz.require(
            ended[0] == found.batches() && ended[1] == found.flows(),
            found.batches() + " batches were found, read or lost " + ended[0]);
      }
    }
  }

  private static Optional<SpooledBatch> read(Spool spool, long[] ended) throws IOException {
    return spool.read(
        lost -> {
          ended[0] += lost.batches();
          ended[1] += lost.flows();
        });
  }
}
