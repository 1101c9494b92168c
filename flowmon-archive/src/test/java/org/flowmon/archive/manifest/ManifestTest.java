package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.manifest.CommitRefusedException.Reason;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.LocalArchiveStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestTest {
  @TempDir Path directory;

  private Manifest create(int snapshotEvery) throws IOException {
    ArchiveStore store = new LocalArchiveStore(directory);
    assertTrue(Manifest.create(store));
    return Manifest.open(store, snapshotEvery);
  }

  /** What a manifest must say, as sets of offsets. */
  private static final class Model {
    final Map<String, BitSet> offsets = new TreeMap<>();
    final Map<String, Long> arrivals = new HashMap<>();
    final List<String> segments = new ArrayList<>();

    private BitSet of(String key) {
      return offsets.getOrDefault(key, new BitSet());
    }

    /** What a commit must come to: an outcome, or the reason of its refusal. */
    Object expected(List<SourceRange> ranges) {
      boolean allKnown = true;
      boolean anyKnown = false;
      Map<String, BitSet> own = new HashMap<>();
      boolean ownOverlap = false;
      for (SourceRange range : ranges) {
        BitSet mine = own.computeIfAbsent(range.sourceKey(), k -> new BitSet());
        for (int o = (int) range.firstOffset(); o < range.endOffset(); o++) {
          allKnown &= of(range.sourceKey()).get(o);
          anyKnown |= of(range.sourceKey()).get(o);
          ownOverlap |= mine.get(o);
          mine.set(o);
        }
      }
      return allKnown
          ? CommitResult.Outcome.REPEATED
          : anyKnown || ownOverlap ? Reason.OVERLAP : CommitResult.Outcome.COMMITTED;
    }

    /** Offsets that the ranges leave out behind what was committed. */
    long gapOffsets(List<SourceRange> ranges) {
      long gaps = 0;
      Map<String, BitSet> own = new HashMap<>();
      for (SourceRange range : ranges) {
        own.computeIfAbsent(range.sourceKey(), k -> new BitSet())
            .set((int) range.firstOffset(), (int) range.endOffset());
      }
      for (Map.Entry<String, BitSet> mine : own.entrySet()) {
        BitSet before = of(mine.getKey());
        int from = before.isEmpty() ? mine.getValue().nextSetBit(0) : before.length();
        for (int o = from; o < mine.getValue().length(); o++) {
          gaps += mine.getValue().get(o) ? 0 : 1;
        }
      }
      return gaps;
    }

    void add(String segment, List<SourceRange> ranges) {
      segments.add(segment);
      for (SourceRange range : ranges) {
        offsets
            .computeIfAbsent(range.sourceKey(), k -> new BitSet())
            .set((int) range.firstOffset(), (int) range.endOffset());
        arrivals.merge(range.sourceKey(), range.maxArrival(), Math::max);
      }
    }

    void check(ManifestState state, String context) {
      assertEquals(segments, state.segments().stream().map(s -> s.id()).toList(), context);
      long gaps = 0;
      for (Map.Entry<String, BitSet> source : offsets.entrySet()) {
        BitSet set = source.getValue();
        assertEquals(set.length(), state.committedEnd(source.getKey()), context);
        gaps += set.length() - set.nextSetBit(0) - set.cardinality();
      }
      assertEquals(gaps, state.gaps().stream().mapToLong(CommitResult.Gap::offsets).sum(), context);
      assertEquals(offsets.keySet(), state.committedEnds().keySet(), context);
      assertEquals(
          arrivals.values().stream().mapToLong(a -> a).min().orElse(Long.MIN_VALUE),
          state.historyThrough(),
          context);
    }
  }

  @Test
  void commitsFollowTheRulesOfASetOfOffsets() throws IOException {
    long seed = 20261121;
    Random random = new Random(seed);
    Set<Object> seen = new HashSet<>();
    for (int round = 0; round < 30; round++) {
      Path folder = directory.resolve("r" + round);
      ArchiveStore store = new LocalArchiveStore(folder);
      Manifest.create(store);
      Manifest[] users = {Manifest.open(store, 3), Manifest.open(store, 5)};
      Model model = new Model();
      for (int step = 0; step < 40; step++) {
        String context = "seed " + seed + ", round " + round + ", step " + step;
        List<SourceRange> ranges = randomRanges(random, model);
        Object expected = model.expected(ranges);
        seen.add(expected);
        String segment = "s" + step;
        ArchiveCommit commit = ManifestFixtures.commit(segment, ranges.toArray(new SourceRange[0]));
        Manifest user = users[random.nextInt(2)];
        if (expected instanceof Reason) {
          CommitRefusedException refused =
              assertThrows(
                  CommitRefusedException.class,
                  () -> ManifestFixtures.commit(user, commit),
                  context);
          assertEquals(expected, refused.reason(), context);
        } else {
          CommitResult result = ManifestFixtures.commit(user, commit);
          assertEquals(expected, result.outcome(), context + " " + ranges);
          if (!result.isRepeat()) {
            assertEquals(model.gapOffsets(ranges), result.gapOffsets(), context + " " + ranges);
            model.add(segment, ranges);
          }
        }
        model.check(user.refresh(), context);
        if (random.nextInt(5) == 0) {
          users[0] = Manifest.open(store, 3);
        }
        assertEquals(
            ManifestFixtures.describe(users[0].refresh()),
            ManifestFixtures.describe(users[1].refresh()),
            context);
      }
      assertEquals(List.of(), ManifestAudit.of(store).damages());
    }
    assertEquals(3, seen.size(), "all outcomes come up: " + seen + ", seed " + seed);
  }

  private static List<SourceRange> randomRanges(Random random, Model model) {
    List<SourceRange> ranges = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String key = "topic:" + random.nextInt(3);
      int end = model.of(key).length();
      int first =
          switch (random.nextInt(4)) {
            case 0 -> random.nextInt(end + 5);
            case 1 -> end + random.nextInt(4);
            default -> end;
          };
      ranges.add(new SourceRange(key, first, first + 1 + random.nextInt(6), random.nextInt(1000)));
    }
    return ranges;
  }

  @Test
  void anOverlapIsRefusedWithBothRangesInTheMessage() throws IOException {
    Manifest manifest = create(64);
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("a", new SourceRange("t:0", 0, 10, 1)));
    CommitRefusedException refused =
        assertThrows(
            CommitRefusedException.class,
            () ->
                ManifestFixtures.commit(
                    manifest, ManifestFixtures.commit("b", new SourceRange("t:0", 5, 15, 2))));
    assertTrue(refused.getMessage().contains("t:0[5, 15)"), refused.getMessage());
    assertTrue(refused.getMessage().contains("[0, 10)"), refused.getMessage());
    assertEquals(1, manifest.state().number());
  }

  @Test
  void aRepeatWithOtherSegmentsLeavesThemOut() throws IOException {
    Manifest manifest = create(64);
    SourceRange range = new SourceRange("t:0", 0, 10, 1);
    ManifestFixtures.commit(manifest, ManifestFixtures.commit("a", range));
    assertTrue(
        ManifestFixtures.commit(manifest, ManifestFixtures.commit("again", range)).isRepeat());
    assertFalse(manifest.state().hasSegment("again"));
    CommitRefusedException refused =
        assertThrows(
            CommitRefusedException.class,
            () ->
                ManifestFixtures.commit(
                    manifest, ManifestFixtures.commit("a", new SourceRange("t:0", 10, 11, 1))));
    assertEquals(Reason.SEGMENT_KNOWN, refused.reason());
  }

  @Test
  void aFileIsImportedOnceUnlessForced() throws IOException {
    Manifest manifest = create(2);
    ImportedFile file = new ImportedFile("ab".repeat(32), "conn.log", 42);
    ArchiveCommit first =
        ArchiveCommit.ofFile(List.of(ManifestFixtures.segment("a", 1, 0)), file, false, "import");
    ManifestFixtures.commit(manifest, first);
    ArchiveCommit second =
        ArchiveCommit.ofFile(List.of(ManifestFixtures.segment("b", 1, 0)), file, false, "import");
    CommitRefusedException refused =
        assertThrows(CommitRefusedException.class, () -> ManifestFixtures.commit(manifest, second));
    assertEquals(Reason.ALREADY_IMPORTED, refused.reason());
    assertTrue(refused.getMessage().contains("conn.log"), refused.getMessage());
    ManifestFixtures.commit(
        manifest, ArchiveCommit.ofFile(second.segments(), file, true, "import"));
    Manifest reopened = Manifest.open(new LocalArchiveStore(directory), 2);
    assertNotNull(reopened.state().imported(file.sha256()));
    assertEquals(2, reopened.state().segments().size());
  }

  @Test
  void aRetiredSourceNoLongerHoldsHistoryBack() throws IOException {
    Manifest manifest = create(2);
    ManifestFixtures.commit(
        manifest,
        ManifestFixtures.commit(
            "a", new SourceRange("old:0", 0, 10, 100), new SourceRange("new:0", 0, 10, 900)));
    assertEquals(100, manifest.state().historyThrough());
    assertEquals(900, manifest.state().historyThrough(List.of("new:0")));
    assertEquals(Long.MIN_VALUE, manifest.state().historyThrough(List.of("new:0", "new:1")));
    ArchiveCommit retire = ArchiveCommit.ofRetired(List.of("old:0"), "topic deleted");
    assertFalse(ManifestFixtures.commit(manifest, retire).isRepeat());
    assertTrue(ManifestFixtures.commit(manifest, retire).isRepeat());
    assertEquals(900, manifest.state().historyThrough());
    assertEquals(900, Manifest.open(new LocalArchiveStore(directory), 2).state().historyThrough());
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("b", new SourceRange("old:0", 10, 11, 200)));
    assertEquals(200, manifest.state().historyThrough());
  }

  @Test
  void thereIsNoManifestWhereNoneWasMade() {
    ArchiveStore store = new LocalArchiveStore(directory);
    assertFalse(Manifest.exists(store));
    assertThrows(NoSuchFileException.class, () -> Manifest.open(store, 64));
  }

  @Test
  void segmentsNeedAnIdentity() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            ArchiveCommit.ofRanges(
                List.of(ManifestFixtures.segment("a", 1, 0)), List.of(), "nothing"));
  }
}
