package org.flowmon.jobs.sink.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.source.PositionedBatch;
import org.junit.jupiter.api.Test;

class PieceSealerTest {
  private static final List<FlowBatch> BATCHES =
      TestFlow.batches(TestFlow.random(3, 2_500, 10, 50), 10, 7);

  @Test
  void allBatchesButThoseThatCannotBeSealedAreSealedInTheirOrder() throws Exception {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      Set<Long> bad = new HashSet<>();
      for (int i = random.nextInt(5); i > 0; i--) {
        bad.add((long) random.nextInt(BATCHES.size()));
      }
      Fake fake = new Fake(bad);
      PieceSealer.Piece piece = new PieceSealer(fake).seal(piece());
      List<Long> good =
          BATCHES.stream().map(FlowBatch::sequence).filter(n -> !bad.contains(n)).toList();
      assertEquals(good, fake.sealed, "seed " + seed);
      assertEquals(good.size() * 10, piece.segments().stream().mapToInt(SealedSegment::rows).sum());
      assertEquals(
          bad.stream().sorted().toList(),
          piece.refused().stream().map(Quarantined::offset).toList(),
          "seed " + seed);
      piece.refused().forEach(refused -> assertEquals(10, refused.flows()));
      assertEquals(bad.isEmpty() ? 0 : 1, fake.discarded, "one plain row tells that it works");
      assertTrue(fake.calls <= 1 + 1 + 20 * bad.size(), fake.calls + " for " + bad.size());
    }
  }

  @Test
  void whereNothingCanBeSealedNoBatchIsToBlame() {
    RuntimeException failure = new IllegalStateException("a fault of its own");
    PieceSealer sealer =
        new PieceSealer(
            new Fake(Set.of()) {
              @Override
              public SealedSegment seal(List<FlowBatch> batches) {
                throw failure;
              }
            });
    assertSame(failure, assertThrows(RuntimeException.class, () -> sealer.seal(piece())));
  }

  @Test
  void whereFilesCannotBeWrittenNoBatchIsToBlame() {
    for (Exception failure :
        List.of(
            new IOException("full"),
            new UncheckedIOException(new IOException("full")),
            new IllegalStateException("cannot be written", new IOException("full")))) {
      PieceSealer sealer =
          new PieceSealer(
              new Fake(Set.of()) {
                @Override
                public SealedSegment seal(List<FlowBatch> batches) throws IOException {
                  if (batches.get(0).producerId() != 7) {
                    return super.seal(batches); // one row fits on a full disk
                  }
                  if (failure instanceof IOException io) {
                    throw io;
                  }
                  throw (RuntimeException) failure;
                }
              });
      assertSame(failure, assertThrows(Exception.class, () -> sealer.seal(piece())));
    }
  }

  private static List<PositionedBatch> piece() {
    return IntStream.range(0, BATCHES.size())
        .mapToObj(i -> new PositionedBatch("t:0", i, BATCHES.get(i), 0))
        .toList();
  }

  /** Seals nothing, and fails with some batches. */
  private static class Fake implements PieceSealer.Sealing {
    private final Set<Long> bad;
    private final List<Long> sealed = new ArrayList<>();
    private int discarded;
    private int calls;

    Fake(Set<Long> bad) {
      this.bad = bad;
    }

    @Override
    public SealedSegment seal(List<FlowBatch> batches) throws IOException {
      calls++;
      for (FlowBatch batch : batches) {
        if (batch.producerId() == 7 && bad.contains(batch.sequence())) {
          throw new ArrayIndexOutOfBoundsException("nobody foresaw it");
        }
      }
      int rows = batches.stream().mapToInt(FlowBatch::rows).sum();
      batches.stream()
          .filter(batch -> batch.producerId() == 7)
          .forEach(batch -> sealed.add(batch.sequence()));
      return segment(rows);
    }

    @Override
    public void discard(SealedSegment segment) {
      discarded++;
    }

    private static SealedSegment segment(int rows) {
      FileIdentity file = new FileIdentity(10, 1, 1, 1);
      return new SealedSegment(
          "s",
          rows,
          TimeRange.NONE,
          TimeRange.NONE,
          TimeRange.NONE,
          TimeRange.NONE,
          BigInteger.ZERO,
          BigInteger.ZERO,
          file,
          file);
    }
  }
}
