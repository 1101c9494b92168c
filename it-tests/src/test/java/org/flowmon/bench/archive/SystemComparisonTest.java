package org.flowmon.bench.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.flowmon.archive.segment.SegmentOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SystemComparisonTest {
  @TempDir Path folder;

  private static BenchSystemProvider archive(String name, String wrongQuery, int segmentRows) {
    return new BenchSystemProvider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public BenchSystem open(Path data, int threads) throws IOException {
        return new WrongSystem(
            FlowmonSystem.create(data, segmentRows, SegmentOptions.LOOKUP, threads), wrongQuery);
      }
    };
  }

  /** One of an archive's answers is wrong; the others do not depend on its segments. */
  @Test
  void anAnswerThatDiffersIsNamedWithQueryAndSystemAndNoOtherIs() throws Exception {
    Workload workload = new GeneratedWorkload(3000, 9);
    List<WorkloadQuery> queries = WorkloadQuery.of(workload.parameters());
    SystemComparison comparison =
        new SystemComparison(workload, queries, 2, Duration.ZERO, 2, line -> {});
    comparison.run(
        List.of(archive("right", "none", 1 << 20), archive("other", "portscans", 700)),
        folder,
        false);
    assertEquals(2, comparison.figures().size());
    assertEquals(12, comparison.answers().size());
    for (SystemFigures figures : comparison.figures()) {
      assertEquals(3000, figures.rows());
      assertTrue(figures.bytesPerRow() > 0);
      for (String query : comparison.answers().keySet()) {
        assertTrue(figures.best(query) <= figures.median(query), query);
        assertTrue(figures.median(query) <= figures.worst(query), query);
      }
    }
    List<String> differences = comparison.differences();
    assertEquals(1, differences.size(), differences::toString);
    assertTrue(differences.get(0).startsWith("portscans: right has "), differences::toString);
    assertTrue(differences.get(0).contains("; other has "), differences::toString);
  }

  /** An archive that gives one wrong value in the answer of one query. */
  private record WrongSystem(FlowmonSystem archive, String query) implements BenchSystem {
    @Override
    public String settings() {
      return archive.settings();
    }

    @Override
    public void load(FlowBlock block) throws IOException {
      archive.load(block);
    }

    @Override
    public void endLoad() throws IOException {
      archive.endLoad();
    }

    @Override
    public void index() throws IOException {
      archive.index();
    }

    @Override
    public long bytesOnDisk() {
      return archive.bytesOnDisk();
    }

    @Override
    public void prepare(WorkloadQuery asked) throws SQLException {
      archive.prepare(asked);
    }

    @Override
    public Answer answer(WorkloadQuery asked) throws IOException {
      Answer answer = archive.answer(asked);
      if (asked.name().equals(query)) {
        answer.column(0)[answer.rows() / 2]++;
      }
      return answer;
    }

    @Override
    public void close() throws IOException {
      archive.close();
    }
  }
}
