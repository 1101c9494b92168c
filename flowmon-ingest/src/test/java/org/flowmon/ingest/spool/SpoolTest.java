package org.flowmon.ingest.spool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches come out of a spool as they went in, whatever happens in between. */
class SpoolTest {
  private static final String TOPIC = "flows";
  private static final long LARGE = 1L << 30;

  @TempDir private Path folder;

  /** A batch whose bytes say its number. */
  static byte[] batch(int number, int length) {
    byte[] bytes = new byte[Math.max(4, length)];
    new Random(number).nextBytes(bytes);
    ByteBuffer.wrap(bytes).putInt(0, number);
    return bytes;
  }

  static int number(SpooledBatch batch) {
    int number = ByteBuffer.wrap(batch.bytes()).getInt(0);
    assertArrayEquals(batch(number, batch.bytes().length), batch.bytes());
    assertEquals(number % 7, batch.partition());
    assertEquals(number % 1000, batch.rows());
    return number;
  }

  static boolean write(Spool spool, int number, int length) throws IOException {
    return spool.write(number % 7, number % 1000, batch(number, length));
  }

  /** Reads all; what is lost is added to {@code lost}. */
  static List<SpooledBatch> readAll(Spool spool, SpoolContents lost) throws IOException {
    List<SpooledBatch> all = new ArrayList<>();
    for (Optional<SpooledBatch> next = spool.read(lost::addAll);
        next.isPresent();
        next = spool.read(lost::addAll)) {
      all.add(next.get());
    }
    return all;
  }

  static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> file.toString().endsWith(".spool")).sorted().toList();
    }
  }

  /** What a kill leaves: the files as they are. */
  static Path copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> all = Files.list(from)) {
      for (Path file : all.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    return to;
  }

  @Test
  void batchesComeOutInOrderAlsoInTheNextRunAndUntilTheyHaveEnded() throws IOException {
    SpoolContents lost = new SpoolContents();
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      for (int i = 0; i < 100; i++) {
        assertTrue(write(spool, i, 100));
      }
      List<SpooledBatch> read = readAll(spool, lost);
      assertEquals(100, read.size());
      read.subList(0, 40).forEach(batch -> spool.ended(batch.place()));
      spool.ended(read.get(50).place()); // out of order: its predecessors have not ended
      spool.tidy(77, 7);
      assertEquals(59, spool.load().batches());
    }
    try (Spool next = Spool.open(folder, LARGE, TOPIC)) {
      assertEquals(60, next.recovered().batches());
      assertEquals(77, next.untold());
      assertEquals(OptionalInt.of(7), next.partitions());
      assertTrue(write(next, 100, 100));
      List<SpooledBatch> read = readAll(next, lost);
      assertEquals(61, read.size());
      for (int i = 0; i < 61; i++) {
        assertEquals(40 + i, number(read.get(i)));
      }
      read.forEach(batch -> next.ended(batch.place()));
      next.seal();
      next.tidy(0, 7);
      assertEquals(List.of(), files(folder));
      assertEquals(0, next.load().bytes());
      assertFalse(next.hasUnread());
    }
    assertTrue(lost.isEmpty());
  }

  /**
   * A random course with kills, after some of which the last file is cut off. Each batch is read
   * until it has ended, in order; only batches that were cut off are missing.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void everyBatchIsReadUntilItHasEndedWhateverKillsCome(long seed) throws IOException {
    Random random = new Random(seed);
    String told = "seed " + seed;
    Set<Integer> open = new HashSet<>(); // written, and neither ended nor cut off
    Set<Integer> ended = new HashSet<>();
    List<SpooledBatch> underWay = new ArrayList<>();
    SpoolContents lost = new SpoolContents();
    Path place = folder.resolve("0");
    Spool spool = Spool.open(place, 40_000, TOPIC);
    int last = -1;
    int next = 0;
    for (int step = 0; step < 1500; step++) {
      int what = random.nextInt(1000);
      if (what < 400) {
        if (write(spool, next, random.nextInt(800))) {
          open.add(next);
        }
        next++; // what finds no room is dropped
      } else if (what < 700) {
        Optional<SpooledBatch> read = spool.read(lost::addAll);
        if (read.isPresent()) {
          int number = number(read.get());
          assertTrue(number > last, told + ": order");
          assertTrue(open.contains(number) || ended.contains(number), told + ": " + number);
          last = number;
          underWay.add(read.get());
        }
      } else if (what < 950 && !underWay.isEmpty()) {
        SpooledBatch done = underWay.remove(random.nextInt(Math.min(3, underWay.size())));
        spool.ended(done.place());
        ended.add(number(done));
        open.remove(number(done));
      } else if (what < 970) {
        spool.tidy(0, 7);
      } else if (what < 980) {
        spool.seal();
      } else if (what < 990) {
        Path killed = copy(place, folder.resolve(Integer.toString(step)));
        spool.close();
        place = killed;
        boolean isCut = random.nextBoolean() && cut(place, random);
        spool = Spool.open(place, 40_000, TOPIC);
        Set<Integer> found = new HashSet<>();
        try (Spool looked = Spool.open(copy(place, folder.resolve(step + "x")), 40_000, TOPIC)) {
          readAll(looked, new SpoolContents()).forEach(batch -> found.add(number(batch)));
        }
        if (!isCut) {
          assertTrue(found.containsAll(open), told + ": a kill alone loses nothing");
        }
        open.retainAll(found);
        underWay.clear();
        last = -1;
      }
      assertTrue(spool.load().bytes() <= 40_000, told);
    }
    readAll(spool, lost).forEach(underWay::add);
    Set<Integer> rest = new HashSet<>();
    underWay.forEach(batch -> rest.add(number(batch)));
    assertTrue(rest.containsAll(open), told + ": " + open);
    spool.close();
  }

  private static boolean cut(Path place, Random random) throws IOException {
    List<Path> files = files(place);
    if (files.isEmpty()) {
      return false;
    }
    Path last = files.get(files.size() - 1);
    byte[] bytes = Files.readAllBytes(last);
    int length = bytes.length - random.nextInt(Math.min(bytes.length, 900));
    Files.write(last, Arrays.copyOf(bytes, length));
    return true;
  }

  @Test
  void aBatchThatIsCutOffIsCountedAndAllBeforeAreRead() throws IOException {
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      for (int i = 1; i <= 10; i++) {
        assertTrue(write(spool, i, 100));
      }
    }
    Path file = files(folder).get(0);
    byte[] whole = Files.readAllBytes(file);
    for (int cut = 1; cut < 136; cut++) {
      Files.write(file, Arrays.copyOf(whole, whole.length - cut));
      SpoolContents lost = new SpoolContents();
      try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
        assertEquals(9, readAll(spool, lost).size());
        // Its head says how many flows it had, as long as it is whole.
        assertEquals(cut <= 100 ? 10 : 0, lost.flows(), "cut " + cut);
        assertEquals(136 - cut, spool.load().damagedBytes());
      }
    }
  }

  /**
   * Bytes are changed, cut out and put in anywhere; cut out bytes hide as many behind the batch.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void damageLosesOnlyTheBatchesThatItHits(long seed) throws IOException {
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      String told = "seed " + seed + ", round " + round;
      Path place = folder.resolve(Integer.toString(round));
      try (Spool spool = Spool.open(place, LARGE, TOPIC)) {
        for (int i = 0; i < 50; i++) {
          assertTrue(write(spool, i, 10 + random.nextInt(300)));
        }
      }
      Path file = files(place).get(0);
      byte[] bytes = Files.readAllBytes(file);
      int at = random.nextInt(bytes.length);
      int length = Math.min(bytes.length - at, 1 + random.nextInt(300));
      int kind = random.nextInt(3);
      Files.write(file, damaged(bytes, at, length, kind, random));
      Set<Integer> hit = hit(bytes, at, kind == 1 ? 2 * length + 400 : length);
      SpoolContents lost = new SpoolContents();
      try (Spool spool = Spool.open(place, LARGE, TOPIC)) {
        List<Integer> read = readAll(spool, lost).stream().map(SpoolTest::number).toList();
        assertEquals(spool.recovered().batches(), read.size() + lost.batches(), told);
        assertEquals(read.stream().distinct().sorted().toList(), read, told);
        for (int i = 0; i < 50; i++) {
          assertTrue(read.contains(i) || hit.contains(i), told + ": " + i + " of " + hit);
        }
      }
    }
  }

  private static byte[] damaged(byte[] bytes, int at, int length, int kind, Random random) {
    byte[] noise = new byte[length];
    random.nextBytes(noise);
    ByteBuffer out = ByteBuffer.allocate(bytes.length + length);
    out.put(bytes, 0, at);
    if (kind == 0) { // changed
      out.put(noise).put(bytes, at + length, bytes.length - at - length);
    } else if (kind == 1) { // cut out
      out.put(bytes, at + length, bytes.length - at - length);
    } else { // put in
      out.put(noise).put(bytes, at, bytes.length - at);
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  /** The batches whose records the damage may touch. */
  private static Set<Integer> hit(byte[] bytes, int at, int length) {
    Set<Integer> hit = new HashSet<>();
    int record = 22 + TOPIC.length();
    for (int i = 0; record < bytes.length; i++) {
      int end = record + 36 + ByteBuffer.wrap(bytes).getInt(record + 8);
      if (at < end && at + length > record) {
        hit.add(i);
      }
      record = end;
    }
    return hit;
  }

  @Test
  void whatIsFullTakesAgainWhenKafkaHasAFile() throws IOException {
    try (Spool spool = Spool.open(folder, 16_000, TOPIC)) {
      int written = 0;
      while (write(spool, written, 400)) {
        written++;
      }
      assertTrue(written > 30, written + " of 436 bytes each in 16,000");
      assertFalse(write(spool, written, 400));
      for (int i = 0; i < 2; i++) {
        spool.ended(spool.read(lost -> {}).orElseThrow().place());
      }
      spool.tidy(0, 7);
      assertTrue(write(spool, written, 400));
      assertTrue(spool.load().bytes() <= 16_000);
    }
  }

  @Test
  void aDiskThatTakesNothingIsToldAndTakesAgain() throws IOException {
    Path place = folder.resolve("spool");
    try (Spool spool = Spool.open(place, 16_000, TOPIC)) {
      assertTrue(write(spool, 0, 2000)); // a file of its own
      Path away = folder.resolve("away");
      Files.move(place, away);
      assertThrows(IOException.class, () -> write(spool, 1, 2000));
      Files.move(away, place);
      assertTrue(write(spool, 1, 2000));
      assertEquals(2, spool.load().batches());
      assertEquals(2, readAll(spool, new SpoolContents()).size());
    }
  }

  @Test
  void aFileThatIsGoneLosesItsBatchesAndNoOthers() throws IOException {
    try (Spool spool = Spool.open(folder, 16_000, TOPIC)) {
      for (int i = 1; i <= 3; i++) {
        assertTrue(write(spool, i, 2000));
      }
      Files.delete(files(folder).get(1));
      SpoolContents lost = new SpoolContents();
      List<SpooledBatch> read = readAll(spool, lost);
      assertEquals(List.of(1, 3), read.stream().map(SpoolTest::number).toList());
      assertEquals(Map.of(2, 1), lost.byPartition());
      assertEquals(2, lost.flows());
    }
  }

  /** As without the mount of the folder, and then with one that gives errors. */
  @Test
  void whatCannotBeReadForNowStays() throws IOException {
    Path place = folder.resolve("spool");
    SpoolContents lost = new SpoolContents();
    try (Spool spool = Spool.open(place, 16_000, TOPIC)) {
      for (int i = 1; i <= 3; i++) {
        assertTrue(write(spool, i, 2000)); // files of their own
      }
      Path away = folder.resolve("away");
      Files.move(place, away);
      for (int i = 0; i < 5; i++) {
        assertThrows(IOException.class, () -> spool.read(lost::addAll));
      }
      Files.createDirectory(place); // where it would be mounted
      assertThrows(IOException.class, () -> spool.read(lost::addAll));
      Files.delete(place);
      Files.move(away, place);
      assertEquals(1, number(spool.read(lost::addAll).orElseThrow()));
      Path second = files(place).get(1);
      Files.move(second, away);
      Files.createDirectory(second); // it is opened, and each read fails
      for (int i = 0; i < 5; i++) {
        IOException e = assertThrows(IOException.class, () -> spool.read(lost::addAll));
        assertTrue(String.valueOf(e.getMessage()).contains(second.toString()), e.toString());
      }
      assertEquals(3, spool.load().batches());
      Files.delete(second);
      Files.move(away, second);
      List<SpooledBatch> rest = readAll(spool, lost);
      assertEquals(List.of(2, 3), rest.stream().map(SpoolTest::number).toList());
      assertTrue(lost.isEmpty());
    }
  }

  @Test
  void aSpoolWithAFileThatCannotBeReadIsNotOpenedAndStays() throws IOException {
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      assertTrue(write(spool, 1, 100));
    }
    Path file = files(folder).get(0);
    Path away = folder.resolve("away");
    Files.move(file, away);
    Files.createDirectory(file);
    IOException e = assertThrows(IOException.class, () -> Spool.open(folder, LARGE, TOPIC).close());
    assertTrue(String.valueOf(e.getMessage()).contains(file.toString()), e.toString());
    Files.delete(file);
    Files.move(away, file);
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      assertEquals(1, spool.recovered().batches());
    }
  }

  @Test
  void whatSomebodyCutsOffWhileItRunsIsLostAndNoMore() throws IOException {
    try (Spool spool = Spool.open(folder, 16_000, TOPIC)) {
      for (int i = 1; i <= 9; i++) {
        assertTrue(write(spool, i, 300)); // two in a file
      }
      Path first = files(folder).get(0);
      Files.write(first, Arrays.copyOf(Files.readAllBytes(first), 400));
      SpoolContents lost = new SpoolContents();
      List<SpooledBatch> read = readAll(spool, lost);
      assertEquals(List.of(1, 3, 4, 5, 6, 7, 8, 9), read.stream().map(SpoolTest::number).toList());
      assertEquals(2, lost.flows());
    }
  }

  /** A search through damaged bytes takes a while, in which more is written behind them. */
  @Test
  void whatIsWrittenBehindDamageThatIsBeingReadIsNotLost() throws Exception {
    int length = 4 << 20;
    byte[] small = batch(2, 100);
    for (int round = 0; round < 20; round++) {
      Path place = folder.resolve(Integer.toString(round));
      try (Spool spool = Spool.open(place, LARGE, TOPIC)) {
        assertTrue(write(spool, 1, length));
        byte[] noise = new byte[36];
        Path file = files(place).get(0);
        byte[] bytes = Files.readAllBytes(file);
        System.arraycopy(noise, 0, bytes, 22 + TOPIC.length(), noise.length);
        Files.write(file, bytes, StandardOpenOption.WRITE);
        Thread writer =
            new Thread(
                () -> {
                  try {
                    for (int i = 0; i < 20; i++) {
                      assertTrue(spool.write(2, 2, small));
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        writer.start();
        SpoolContents lost = new SpoolContents();
        int read = 0;
        while (writer.isAlive() || spool.hasUnread()) {
          read += readAll(spool, lost).size();
        }
        writer.join();
        read += readAll(spool, lost).size();
        assertEquals(20, read, "round " + round);
        assertEquals(Map.of(1, 1), lost.byPartition(), "round " + round);
        assertEquals(20, spool.load().batches(), "round " + round);
      }
    }
  }

  @Test
  void whatKafkasProducerHasIsReadByTheNextRunOnly() throws IOException {
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      List<SpoolPlace> places = new ArrayList<>();
      for (int i = 1; i <= 3; i++) {
        places.add(spool.writeUnderWay(i, i, batch(i, 100)).orElseThrow());
      }
      assertFalse(spool.hasUnread());
      assertTrue(write(spool, 4, 100));
      assertThrows(IllegalStateException.class, () -> spool.writeUnderWay(5, 5, batch(5, 100)));
      assertEquals(4, number(spool.read(lost -> {}).orElseThrow()));
      assertEquals(Optional.empty(), spool.read(lost -> {}));
      assertEquals(4, spool.load().batches());
      assertEquals(10, spool.load().flows());
      spool.ended(places.get(0));
      spool.tidy(0, 7);
    }
    try (Spool next = Spool.open(folder, LARGE, TOPIC)) {
      List<SpooledBatch> read = readAll(next, new SpoolContents());
      assertEquals(List.of(2, 3, 4), read.stream().map(SpoolTest::number).toList());
    }
  }

  @Test
  void aFolderHasOneUserOneTopicAndKnownVersions() throws IOException {
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      assertTrue(write(spool, 1, 100));
      IOException used =
          assertThrows(IOException.class, () -> Spool.open(folder, LARGE, TOPIC).close());
      assertTrue(String.valueOf(used.getMessage()).contains("used by another"), used.toString());
    }
    IOException other =
        assertThrows(IOException.class, () -> Spool.open(folder, LARGE, "others").close());
    assertTrue(String.valueOf(other.getMessage()).contains("topic 'flows', not 'others'"));
    Path file = files(folder).get(0);
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer head = ByteBuffer.wrap(bytes).putInt(4, 2);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, 18 + TOPIC.length());
    head.putInt(18 + TOPIC.length(), (int) crc.getValue());
    Files.write(file, bytes);
    IOException version =
        assertThrows(IOException.class, () -> Spool.open(folder, LARGE, TOPIC).close());
    assertTrue(String.valueOf(version.getMessage()).contains("version 2, supported is 1"));
  }

  @Test
  void onlyTheOwnerCanReadIt() throws IOException {
    Path place = folder.resolve("spool");
    try (Spool spool = Spool.open(place, LARGE, TOPIC)) {
      assertTrue(write(spool, 1, 100));
      spool.tidy(0, 7);
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(place)));
      try (Stream<Path> all = Files.list(place)) {
        for (Path file : all.toList()) {
          assertEquals(
              "rw-------",
              PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
              file.toString());
        }
      }
    }
  }

  @Test
  void aDamagedMarkMeansAllFromTheBeginning() throws IOException {
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      for (int i = 0; i < 10; i++) {
        assertTrue(write(spool, i, 100));
      }
      for (int i = 0; i < 5; i++) {
        spool.ended(spool.read(lost -> {}).orElseThrow().place());
      }
      spool.tidy(3, 7);
    }
    Path mark = folder.resolve("mark");
    byte[] bytes = Files.readAllBytes(mark);
    for (int i = 0; i < bytes.length; i++) {
      byte[] other = bytes.clone();
      other[i] ^= 1;
      Files.write(mark, other);
      try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
        assertEquals(10, spool.recovered().batches(), "byte " + i);
        assertEquals(0, spool.untold());
        assertEquals(OptionalInt.empty(), spool.partitions());
      }
    }
    Files.write(mark, bytes);
    try (Spool spool = Spool.open(folder, LARGE, TOPIC)) {
      assertEquals(5, spool.recovered().batches());
    }
  }
}
