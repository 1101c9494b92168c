package org.flowmon.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.it.Program;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that fill, merge, expire and clean one archive are killed, at every operation on its
 * store and at any moment, and started again with the same input. Whoever opens the archive
 * meanwhile sees the newest flows of some commit, exactly; whoever has it open since before sees
 * what he saw.
 */
class CrashIT {
  private static final int KEPT = 700;
  private static final int SLACK = 120;
  private static final long SEED = Long.getLong("flowmon.it.seed", 20_261_121);
  private static final Duration SAMPLED_EVERY = Duration.ofMillis(100);
  private static final int MOST_MOMENTS = 400;

  // A commit, after one that comes again, is within so many; behind it are another, merging and
  // deleting, of which a part is tried. 1 tries all.
  private static final int COMMITS = 32;
  private static final int STRIDE = Integer.getInteger("flowmon.it.stride", 11);
  private static final Set<String> KINDS =
      Set.of(
          "before publish segments",
          "after publish segments",
          "before putIfAbsent manifest",
          "after putIfAbsent manifest",
          "before replace manifest",
          "after replace manifest",
          "before delete segments",
          "after delete segments");

  private static final int KILLS = Integer.getInteger("flowmon.it.kills", 8);
  private static final long MOST_PAUSE = Duration.ofMillis(800).toNanos();

  private static final List<String> JVM =
      List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  @TempDir Path folder;
  private Path directory;
  private FedArchive oracle;
  private FedArchive.Reach acknowledged = new FedArchive.Reach(0, 0);

  @BeforeEach
  void makeAnArchiveWithAPast() throws IOException {
    directory = folder.resolve("archive");
    FedFlows flows = new FedFlows(SEED);
    oracle = new FedArchive(flows, KEPT, SLACK);
    try (Archive archive = Archive.create(directory, new ArchiveOptions(3, 16))) {
      RetentionOptions limits = new RetentionOptions(KEPT, SLACK, 0, 0);
      archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test"));
      new ArchiveFeeder(archive, flows).run(10);
    }
    sample("before the first kill");
  }

  /** The same archive as {@link #directory}, with nothing shared with who opens it by its path. */
  private ArchiveLocation apart() throws IOException {
    return ArchiveLocation.parse("halting://" + directory.toRealPath());
  }

  private Program feeder(String name, int cycles, int haltAt) throws IOException {
    List<String> options = new ArrayList<>(JVM);
    options.add("-D" + HaltingStoreProvider.HALT_AT + "=" + haltAt);
    return Program.javaWithoutLog(
        folder,
        name,
        options,
        ArchiveFeeder.class,
        List.of(apart().toString(), Long.toString(SEED), Integer.toString(cycles)));
  }

  /** Opens the archive anew and checks all that must hold. */
  private void sample(String context) throws IOException {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      oracle.check(snapshot, acknowledged, context);
      acknowledged = FedArchive.Reach.of(snapshot);
    }
  }

  /** What a feeder has said to be committed is from now on asked for. */
  private void hear(Program feeder) throws IOException {
    int partition = acknowledged.partition();
    int files = acknowledged.files();
    String said = feeder.output();
    for (String line : said.substring(0, said.lastIndexOf('\n') + 1).lines().toList()) {
      String[] words = line.split(" ", -1);
      int end = Integer.parseInt(words[1]) + 1;
      if (words[0].equals(FedFlows.Source.PARTITION.name())) {
        partition = Math.max(partition, end);
      } else {
        files = Math.max(files, end);
      }
    }
    acknowledged = new FedArchive.Reach(partition, files);
  }

  /** Samples until a time has passed or, without one, until all have ended. */
  private void sampleWhile(List<Program> feeders, long nanos, String context) throws Exception {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end && feeders.stream().anyMatch(Program::isAlive)) {
      long pause = Math.min(SAMPLED_EVERY.toNanos(), end - System.nanoTime());
      TimeUnit.NANOSECONDS.sleep(Math.max(0, pause));
      for (Program feeder : feeders) {
        hear(feeder);
      }
      sample(context);
    }
  }

  /** A reader that is there while others are killed: its files are first opened at the end. */
  private interface Round {
    void run() throws Exception;
  }

  private void besideAnOldReader(String context, Round round) throws Exception {
    try (Archive archive = Archive.open(apart(), ArchiveOptions.DEFAULTS);
        ArchiveSnapshot old = archive.snapshot()) {
      FedArchive.Reach reach = FedArchive.Reach.of(old);
      round.run();
      Set<Long> first = oracle.check(old, reach, context + ", old reader");
      assertEquals(reach, FedArchive.Reach.of(old), context);
      assertEquals(first, oracle.check(old, reach, context + ", old reader again"), context);
    }
    sample(context);
  }

  /** After all kills: one that is left alone repairs what can be, and nothing was hurt. */
  private void endWell() throws Exception {
    try (Program last = feeder("last", 4, 0)) {
      assertEquals(0, last.await(), last.printed());
      hear(last);
    }
    sample("at the end, seed " + SEED);
    assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
    try (Archive archive = Archive.open(directory)) {
      archive.removeReplaced(Duration.ZERO);
      archive.removeOrphans(Duration.ofSeconds(-1));
    }
    sample("without orphans, seed " + SEED);
    assertEquals(List.of(), ArchiveVerifier.verify(directory).damages());
    assertEquals(List.of(), ArchiveVerifier.verify(directory).orphans());
  }

  @Test
  void killedBeforeAndAfterEachOperationOnTheStoreNothingIsLostNorTwice() throws Exception {
    Set<String> halts = new TreeSet<>();
    int moment = 1;
    boolean isHalted = true;
    while (isHalted) {
      assertTrue(moment < MOST_MOMENTS, "a cycle ends");
      String context = "seed " + SEED + ", halted at " + moment;
      if (moment > COMMITS) {
        tidyUp(moment);
      }
      try (Program feeder = feeder("halted" + moment, 1, moment)) {
        besideAnOldReader(
            context, () -> sampleWhile(List.of(feeder), Program.PATIENCE.toNanos(), context));
        int code = feeder.await();
        assertTrue(code == 0 || code == HaltingStoreProvider.EXIT_CODE, feeder.printed());
        isHalted = code != 0;
        if (isHalted) {
          halts.add(feeder.errors().replaceAll("(?s).*halted (\\w+ \\w+ \\w+).*", "$1"));
        }
      }
      moment += moment < COMMITS ? 1 : STRIDE;
    }
    assertTrue(halts.containsAll(KINDS), halts.toString());
    endWell();
  }

  /** Else each cycle would have more to delete than the one before, and none would end. */
  private void tidyUp(int moment) throws Exception {
    try (Program whole = feeder("whole" + moment, 1, 0)) {
      assertEquals(0, whole.await(), whole.printed());
      hear(whole);
    }
  }

  @Test
  void killedAtAnyMomentNothingIsLostNorTwice() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    FedArchive.Reach before = acknowledged;
    for (int kill = 0; kill < KILLS; kill++) {
      String context = "seed " + SEED + ", kill " + kill;
      try (Program one = feeder("one" + kill, Integer.MAX_VALUE, 0);
          Program other = feeder("other" + kill, Integer.MAX_VALUE, 0)) {
        besideAnOldReader(
            context,
            () -> {
              List<Program> both = List.of(one, other);
              while (one.output().isEmpty() && other.output().isEmpty()) {
                sampleWhile(both, SAMPLED_EVERY.toNanos(), context);
              }
              sampleWhile(both, random.nextLong(MOST_PAUSE), context);
              one.kill();
              sampleWhile(both, random.nextLong(MOST_PAUSE), context);
              other.kill();
              assertFalse((one.errors() + other.errors()).contains("Exception"), one.errors());
            });
        hear(one);
        hear(other);
        sample(context);
      }
    }
    assertTrue(acknowledged.partition() > before.partition() + KILLS, acknowledged.toString());
    endWell();
  }
}
