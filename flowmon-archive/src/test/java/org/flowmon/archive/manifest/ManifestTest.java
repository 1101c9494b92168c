package org.flowmon.archive.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitRefusedException.Reason;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.RowSums;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.SealedSegment;
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

  /** The expected manifest, as sets of offsets. */
  private static final class Model {
    final Map<String, BitSet> offsets = new TreeMap<>();
    final Map<String, List<SourceRange>> ranges = new TreeMap<>();
    final List<String> segments = new ArrayList<>();

    private BitSet of(String key) {
      return offsets.getOrDefault(key, new BitSet());
    }

    /** The expected result of a commit: an outcome, or the reason of its refusal. */
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

    /** The number of offsets that the ranges skip after committed ones. */
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
        this.ranges.computeIfAbsent(range.sourceKey(), k -> new ArrayList<>()).add(range);
      }
    }

    void check(ManifestState state, String context) {
      assertEquals(segments, state.segments().stream().map(s -> s.id()).toList(), context);
      long gaps = 0;
      for (Map.Entry<String, BitSet> source : offsets.entrySet()) {
        BitSet set = source.getValue();
        assertEquals(set.length(), state.reach().committedEnd(source.getKey()), context);
        gaps += set.length() - set.nextSetBit(0) - set.cardinality();
      }
      assertEquals(
          gaps, state.reach().gaps().stream().mapToLong(CommitResult.Gap::offsets).sum(), context);
      assertEquals(offsets.keySet(), state.reach().committedEnds().keySet(), context);
      checkReach(state, context);
      assertEquals(expectedGaps(), state.reach().gaps(), context);
    }

    private static long reach(List<SourceRange> committed) {
      return committed.stream().mapToLong(SourceRange::maxArrival).max().orElseThrow();
    }

    private static boolean ended(List<SourceRange> committed) {
      return committed.stream()
          .max(Comparator.comparingLong(SourceRange::endOffset))
          .orElseThrow()
          .ended();
    }

    private void checkReach(ManifestState state, String context) {
      List<List<SourceRange>> open = ranges.values().stream().filter(r -> !ended(r)).toList();
      LongStream reaches =
          (open.isEmpty() ? ranges.values() : open).stream().mapToLong(Model::reach);
      long through = (open.isEmpty() ? reaches.max() : reaches.min()).orElse(Long.MIN_VALUE);
      // Segments have the times of offsets here, which are small.
      assertTrue(open.isEmpty() || through == state.reach().historyThrough(), context);
      assertEquals(through, state.reach().historyThrough(ranges.keySet()), context);
      for (long asOf : new long[] {through - 1, through, through + 1, 2000}) {
        boolean all = open.stream().allMatch(r -> reach(r) > asOf);
        assertEquals(
            all && !ranges.isEmpty(), state.reach().reaches(ranges.keySet(), asOf), context);
      }
    }

    private List<CommitResult.Gap> expectedGaps() {
      List<CommitResult.Gap> gaps = new ArrayList<>();
      ranges.forEach(
          (key, committed) -> {
            BitSet set = offsets.get(key);
            int from = set.nextClearBit(set.nextSetBit(0));
            while (from < set.length()) {
              int to = set.nextSetBit(from);
              int first = from;
              long before =
                  committed.stream()
                      .filter(r -> r.firstOffset() < first)
                      .mapToLong(SourceRange::maxArrival)
                      .max()
                      .orElseThrow();
              long after =
                  committed.stream()
                      .filter(r -> r.firstOffset() == to)
                      .mapToLong(SourceRange::firstArrival)
                      .findFirst()
                      .orElseThrow();
              gaps.add(
                  new CommitResult.Gap(
                      key, from, to, Math.min(before, after), Math.max(before, after)));
              from = set.nextClearBit(to);
            }
          });
      return gaps;
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
      long arrival = random.nextInt(1000);
      ranges.add(
          new SourceRange(
              key,
              first,
              first + 1 + random.nextInt(6),
              arrival,
              arrival + random.nextInt(100),
              random.nextInt(3) == 0));
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
  void segmentsAreNotCommittedUnlessTheirFilesAreLookedFor() throws IOException {
    Manifest manifest = create(64);
    ArchiveCommit commit = ManifestFixtures.commit("a", new SourceRange("t:0", 0, 10, 1));
    assertThrows(
        IllegalArgumentException.class, () -> manifest.commit(commit, CommitPreparation.NONE));
    assertEquals(0, manifest.state().number());
  }

  @Test
  void aRepeatWithOtherSegmentsLeavesThemOut() throws IOException {
    Manifest manifest = create(64);
    SourceRange range = new SourceRange("t:0", 0, 10, 1);
    ManifestFixtures.commit(manifest, ManifestFixtures.commit("a", range));
    assertTrue(
        ManifestFixtures.commit(manifest, ManifestFixtures.commit("again", range)).isRepeat());
    assertNull(manifest.state().segment("again"));
    CommitRefusedException refused =
        assertThrows(
            CommitRefusedException.class,
            () ->
                ManifestFixtures.commit(
                    manifest, ManifestFixtures.commit("a", new SourceRange("t:0", 10, 11, 1))));
    assertEquals(Reason.SEGMENT_KNOWN, refused.reason());
  }

  @Test
  void aSegmentIsCommittedOnceInACommit() throws IOException {
    Manifest manifest = create(64);
    SealedSegment segment = ManifestFixtures.segment("a", 1, 0);
    ArchiveCommit twice =
        ArchiveCommit.ofRanges(
            List.of(segment, segment), List.of(new SourceRange("t:0", 0, 10, 1)), "test");
    CommitRefusedException refused =
        assertThrows(CommitRefusedException.class, () -> ManifestFixtures.commit(manifest, twice));
    assertEquals(Reason.SEGMENT_KNOWN, refused.reason());
    assertEquals(0, manifest.state().number());
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
    assertEquals(100, manifest.state().reach().historyThrough());
    assertEquals(900, manifest.state().reach().historyThrough(List.of("new:0")));
    assertEquals(
        Long.MIN_VALUE, manifest.state().reach().historyThrough(List.of("new:0", "new:1")));
    ArchiveCommit retire = ArchiveCommit.ofRetired(List.of("old:0"), "topic deleted");
    assertFalse(ManifestFixtures.commit(manifest, retire).isRepeat());
    assertTrue(ManifestFixtures.commit(manifest, retire).isRepeat());
    assertEquals(900, manifest.state().reach().historyThrough());
    assertEquals(
        900, Manifest.open(new LocalArchiveStore(directory), 2).state().reach().historyThrough());
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("b", new SourceRange("old:0", 10, 11, 200)));
    assertEquals(200, manifest.state().reach().historyThrough());
  }

  @Test
  void aSourceThatEndedHoldsNothingBackUntilItGoesOn() throws IOException {
    Manifest manifest = create(2);
    ManifestFixtures.commit(
        manifest,
        ManifestFixtures.commit(
            "a",
            new SourceRange("t:0", 0, 10, 1, 100, true),
            new SourceRange("t:1", 0, 10, 1, 900, false)));
    List<String> keys = List.of("t:0", "t:1");
    for (ManifestState state :
        List.of(manifest.state(), Manifest.open(new LocalArchiveStore(directory), 2).state())) {
      assertEquals(900, state.reach().historyThrough());
      assertTrue(state.reach().reaches(keys, 899));
      assertFalse(
          state.reach().reaches(keys, 900), "t:1 may bring more that arrived in the same instant");
      assertFalse(state.reach().reaches(List.of("t:0", "t:2"), 1), "nothing is known of t:2");
      assertFalse(state.reach().reaches(List.of(), 1));
    }
    ManifestFixtures.commit(
        manifest,
        ManifestFixtures.commit(
            "b",
            new SourceRange("t:0", 12, 13, 120, 120, false),
            new SourceRange("t:1", 10, 11, 0, 900, true)));
    assertEquals(120, manifest.state().reach().historyThrough());
    assertFalse(manifest.state().reach().reaches(keys, 120));
    assertTrue(manifest.state().reach().reaches(keys, 119));
    // An end mark in a gap does not end the source.
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("c", new SourceRange("t:0", 10, 12, 110, 110, true)));
    assertEquals(120, manifest.state().reach().historyThrough());
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("d", new SourceRange("t:0", 13, 14, 0, 120, true)));
    assertTrue(manifest.state().reach().reaches(keys, Long.MAX_VALUE));
    assertEquals(900, manifest.state().reach().historyThrough());
    assertEquals(List.of(), ManifestAudit.of(new LocalArchiveStore(directory)).damages());
  }

  @Test
  void historyOfSourcesBeginsWhereNothingOfAnyWasLeftOutBefore() throws IOException {
    Manifest manifest = create(2);
    assertEquals(Long.MAX_VALUE, manifest.state().reach().historyFrom(List.of("t:0"), 0));
    ManifestFixtures.commit(
        manifest,
        ArchiveCommit.ofFile(
            List.of(ManifestFixtures.segment("old", 3, 5)),
            new ImportedFile("0".repeat(64), "2015.log", 9),
            false,
            "import"));
    assertEquals(Long.MAX_VALUE, manifest.state().reach().historyFrom(List.of("t:0"), 0));
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("a", new SourceRange("t:0", 700, 710, 100, 200, false)));
    assertEquals(
        100,
        manifest.state().reach().historyFrom(List.of("t:0"), 0),
        "offsets 0 … 699 are unknown");
    assertEquals(100, manifest.state().reach().historyFrom(List.of("t:0", "t:1"), 0));
    // An added partition lacks nothing before its first offset.
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("b", new SourceRange("t:1", 0, 1, 300, 400, false)));
    assertEquals(100, manifest.state().reach().historyFrom(List.of("t:0", "t:1"), 0));
    assertEquals(300, manifest.state().reach().historyFrom(List.of("t:1"), 0));
    // A source whose first offsets are gone may have brought any flow up to its first arrival.
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("c", new SourceRange("t:2", 50, 51, 350, 400, false)));
    List<String> all = List.of("t:0", "t:1", "t:2");
    assertEquals(350, manifest.state().reach().historyFrom(all, 0));
    assertEquals(
        357, manifest.state().reach().historyFrom(all, 7), "other producers may lag behind");
    assertEquals(List.of(), manifest.state().reach().gaps());
    assertEquals(
        350,
        Manifest.open(new LocalArchiveStore(directory), 2).state().reach().historyFrom(all, 0));
    ManifestFixtures.commit(
        manifest, ManifestFixtures.commit("d", new SourceRange("t:2", 0, 50, 340, 345, false)));
    assertEquals(100, manifest.state().reach().historyFrom(all, 0));
  }

  @Test
  void importedArrivalsAreKeptAsStretchesWhateverBecomesOfTheSegments() throws IOException {
    long seed = 20261122;
    Random random = new Random(seed);
    Manifest manifest = create(3);
    BitSet imported = new BitSet(); // bit 2 a + 1 joins a and a + 1 if one range holds both
    for (int i = 0; i < 40; i++) {
      int first = random.nextInt(1000);
      ManifestFixtures.commit(
          manifest,
          ArchiveCommit.ofFile(
              List.of(
                  ManifestFixtures.segment("l" + i, 1, first),
                  ManifestFixtures.segment("h" + i, 1, first + 7)),
              new ImportedFile(String.format("%064x", i), i + ".log", 9),
              false,
              "import"));
      imported.set(2 * first, 2 * (first + 17) + 1);
      ManifestFixtures.commit(
          manifest,
          ArchiveCommit.ofReplacement(
              List.of(
                  ManifestFixtures.segment("m" + i, 1, 0), ManifestFixtures.segment("n" + i, 1, 0)),
              List.of("l" + i, "h" + i),
              RowSums.NONE,
              "merge"));
      List<String> expected = new ArrayList<>();
      for (int at = imported.nextSetBit(0); at >= 0; ) {
        int end = imported.nextClearBit(at);
        expected.add(at / 2 + "=" + (end - 1) / 2);
        at = imported.nextSetBit(end);
      }
      String context = "seed " + seed + ", step " + i;
      for (ManifestState state :
          List.of(manifest.state(), Manifest.open(new LocalArchiveStore(directory), 3).state())) {
        assertEquals(
            expected,
            state.reach().importedArrivals().entrySet().stream().map(Object::toString).toList(),
            context);
      }
    }
    assertEquals(List.of(), ManifestAudit.of(new LocalArchiveStore(directory)).damages());
  }

  @Test
  void aSegmentThatReplacedOthersHasRowsAsNewAsTheirNewest() throws IOException {
    Manifest manifest = create(3);
    for (int i = 0; i < 3; i++) {
      ManifestFixtures.commit(
          manifest, ManifestFixtures.commit("s" + i, new SourceRange("t:0", i, i + 1, i)));
    }
    ManifestState before = manifest.state();
    assertEquals(3, before.number());
    for (int i = 0; i < 3; i++) {
      assertEquals(i + 1, before.newestRows("s" + i));
    }
    replace(manifest, "m", "s0", "s1");
    assertEquals(2, manifest.state().newestRows("m0"));
    assertEquals(2, manifest.state().newestRows("m1"));
    replace(manifest, "n", "m0", "s2");
    ManifestState merged = manifest.state();
    assertEquals(3, merged.newestRows("n1"), "commits 4 and 5 brought no row");
    assertEquals(2, before.newestRows("s1"), "a state is immutable");
    ManifestState read = Manifest.open(new LocalArchiveStore(directory), 3).state();
    assertEquals(merged.number(), read.number());
    long newest = read.newestRows("n1");
    assertTrue(
        newest >= 3 && newest <= 5, "what a snapshot does not tell is no earlier: " + newest);
  }

  /** Replaces two segments by two with a row each. */
  private static void replace(Manifest manifest, String by, String first, String second)
      throws IOException {
    ManifestFixtures.commit(
        manifest,
        ArchiveCommit.ofReplacement(
            List.of(
                ManifestFixtures.segment(by + "0", 1, 0), ManifestFixtures.segment(by + "1", 1, 0)),
            List.of(first, second),
            RowSums.NONE,
            "merge"));
  }

  @Test
  void aGapTellsWhichArrivalsItCanHaveHeld() throws IOException {
    Manifest manifest = create(2);
    ManifestFixtures.commit(
        manifest,
        ManifestFixtures.commit("a", new SourceRange("t:0", 0, 10, 1_000_000, 5_000_000, false)));
    CommitResult result =
        ManifestFixtures.commit(
            manifest,
            ManifestFixtures.commit(
                "b", new SourceRange("t:0", 20, 30, 7_000_000, 9_000_000, false)));
    CommitResult.Gap gap = new CommitResult.Gap("t:0", 10, 20, 5_000_000, 7_000_000);
    assertEquals(List.of(gap), result.gaps());
    assertEquals(List.of(gap), manifest.state().reach().gaps());
    assertEquals(
        "source t:0: offsets 10 … 19 were never archived, arrivals 1970-01-01T00:00:05Z …"
            + " 1970-01-01T00:00:07Z",
        gap.toString());
  }

  @Test
  void thereIsNoManifestWhereNoneWasMade() {
    ArchiveStore store = new LocalArchiveStore(directory);
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
