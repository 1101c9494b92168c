package org.flowmon.deploy.serve.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.flowmon.deploy.serve.query.Cursor;
import org.junit.jupiter.api.Test;

/** Pages of reports of two stores that have no room for all that is asked. */
final class ReportPagesTest {
  private static final long SEED = 11;
  private static final long CHECKSUM = 7;

  /** Reports in memory, of which an answer has {@code room} at most. */
  private record Memory(List<ReportStore.Kept> all, int room) implements ReportStore {
    @Override
    public String name() {
      return "memory";
    }

    @Override
    public ServedJob.State state() {
      return new ServedJob.State("ok", null);
    }

    @Override
    public Found reports(Asked asked, int least, int most) {
      List<Kept> chosen =
          all.stream()
              .filter(one -> asked.holds(one.analysis(), one.end(), one.rows()))
              .sorted(ReportsEndpoint.ORDER)
              .limit(most)
              .toList();
      int given = Math.max(least, room);
      return chosen.size() > given
          ? new Found(chosen.subList(0, given), true)
          : new Found(chosen, false);
    }

    @Override
    public void close() {}
  }

  private static String text(ReportStore.Kept one) {
    return one.end() + " " + one.analysis();
  }

  @Test
  void togetherHaveEachReportOnceInOrder() {
    Random random = new Random(SEED);
    for (int round = 0; round < 300; round++) {
      List<ReportStore.Kept> first = new ArrayList<>();
      List<ReportStore.Kept> second = new ArrayList<>();
      for (String analysis : List.of("a", "b", "c", "d")) {
        for (int end = 1; end <= 12; end++) {
          ReportStore.Kept one =
              new ReportStore.Kept(analysis, end - 1, end, 1, false, true, 0, List.of());
          (random.nextBoolean() ? first : new ArrayList<ReportStore.Kept>()).add(one);
          (random.nextBoolean() ? second : new ArrayList<ReportStore.Kept>()).add(one);
        }
      }
      List<String> expected =
          Stream.concat(first.stream(), second.stream())
              .sorted(ReportsEndpoint.ORDER)
              .map(ReportPagesTest::text)
              .distinct()
              .toList();
      ReportsEndpoint endpoint =
          new ReportsEndpoint(
              List.of(
                  new Memory(first, 1 + random.nextInt(30)),
                  new Memory(second, 1 + random.nextInt(30))));
      assertEquals(
          expected, pages(endpoint, 1 + random.nextInt(12)), "seed " + SEED + ", " + round);
    }
  }

  private static List<String> pages(ReportsEndpoint endpoint, int limit) {
    List<String> found = new ArrayList<>();
    Optional<Cursor> cursor = Optional.empty();
    do {
      long last = cursor.map(Cursor::at).orElse(Long.MAX_VALUE);
      Page<ReportStore.Kept> page =
          endpoint.page(
              new ReportStore.Asked(Optional.empty(), Long.MIN_VALUE, Long.MAX_VALUE, last, true),
              cursor,
              CHECKSUM,
              limit,
              new ArrayList<>());
      assertTrue(page.items().size() <= limit);
      page.items().forEach(one -> found.add(text(one)));
      cursor = Optional.ofNullable(page.next()).map(text -> Cursor.parse(text, CHECKSUM));
    } while (cursor.isPresent() && found.size() < 1000);
    return found;
  }
}
