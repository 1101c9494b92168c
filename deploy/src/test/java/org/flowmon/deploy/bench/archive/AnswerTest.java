package org.flowmon.deploy.bench.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

final class AnswerTest {
  private static Answer of(long[]... rows) {
    Answer answer = new Answer(rows[0].length);
    answer.reserve(rows.length);
    for (int r = 0; r < rows.length; r++) {
      for (int c = 0; c < rows[r].length; c++) {
        answer.column(c)[r] = rows[r][c];
      }
    }
    answer.setRows(rows.length);
    return answer;
  }

  @Test
  void theOrderOfRowsCountsOnlyWhereItIsPartOfTheAnswer() {
    Answer one = of(new long[] {1, 10}, new long[] {2, 20});
    Answer turned = of(new long[] {2, 20}, new long[] {1, 10});
    assertEquals(one.summary(false), turned.summary(false));
    assertNotEquals(one.summary(true), turned.summary(true));
  }

  @Test
  void valuesThatChangedTheirRowsDifferThoughTheSumsAreTheSame() {
    Answer one = of(new long[] {1, 10}, new long[] {2, 20});
    Answer mixed = of(new long[] {1, 20}, new long[] {2, 10});
    assertEquals(one.summary(false).sums(), mixed.summary(false).sums());
    assertNotEquals(one.summary(false), mixed.summary(false));
  }
}
